-- KubeRay does not keep observedGeneration up to date when nothing else in the status changes: it is not asked.
local meta, status = obj.metadata or {}, obj.status or {}
local function condition(kind)
  for _, each in ipairs(status.conditions or {}) do
    if each.type == kind then return each end
  end
  return {}
end
local function told(...)
  for _, text in ipairs({...}) do
    if text ~= "" then return text end
  end
end
local function broken(service)
  local names = {}
  for name, application in pairs((service or {}).applicationStatuses or {}) do
    if application.status == "DEPLOY_FAILED" or application.status == "UNHEALTHY" then
      table.insert(names, name)
    end
  end
  table.sort(names)
  if names[1] then
    local application = service.applicationStatuses[names[1]]
    return "application " .. names[1] .. ": " .. told(application.message or "", application.status)
  end
end

if meta.deletionTimestamp then
  return {status = "Progressing", message = "being deleted"}
end
local wrong = broken(status.activeServiceStatus) or broken(status.pendingServiceStatus)
if wrong then
  return {status = "Degraded", message = wrong}
end
local service = status.serviceStatus or ""
if service == "FailedToGetOrCreateRayCluster" or service == "FailedToGetServeDeploymentStatus"
    or service == "FailedToUpdateServingPodLabel" or service == "FailedToUpdateService"
    or service == "FailedToUpdateIngress" or service == "FailedServeDeploy" then
  return {status = "Degraded", message = "KubeRay says " .. service}
end
local upgrade, ready = condition("UpgradeInProgress"), condition("Ready")
if ready.status == "False" then
  local message = told(ready.message or "", ready.reason or "", "not ready")
  local lost = ready.reason == "ZeroServeEndpoints" or ready.reason == "InitializingTimeout"
  return {status = lost and "Degraded" or "Progressing", message = message}
end
if upgrade.status == "True" then
  return {status = "Progressing", message = told(upgrade.message or "", "an upgrade is under way")}
end
if ready.status == "True" or service == "Running" then
  return {status = "Healthy", message = told(ready.message or "", "serving")}
end
if service ~= "" then
  return {status = "Progressing", message = "KubeRay says " .. service}
end
return {status = "Progressing", message = "waiting for KubeRay to start the service"}
