-- Newer operators say Ready and ProvisioningSucceeded, older ones ReconcileComplete and Degraded; the phase is in both.
local meta, status = obj.metadata or {}, obj.status or {}
local function condition(kind)
  for _, each in ipairs(status.conditions or {}) do
    if each.type == kind then return each end
  end
  return {}
end
local function says(each, otherwise)
  for _, text in ipairs({each.message or "", status.errorMessage or "", each.reason or ""}) do
    if text ~= "" then return text end
  end
  return otherwise
end

if meta.deletionTimestamp or status.phase == "Deleting" then
  return {status = "Progressing", message = "being deleted"}
end
if (status.observedGeneration or meta.generation or 0) < (meta.generation or 0) then
  return {status = "Progressing", message = "waiting for the operator to see the change"}
end
local degraded, provisioned = condition("Degraded"), condition("ProvisioningSucceeded")
local ready = condition("Ready")
if degraded.status == "True" then
  return {status = "Degraded", message = says(degraded, "degraded")}
end
if provisioned.status == "False" then
  return {status = "Degraded", message = says(provisioned, "the components cannot be deployed")}
end
if status.phase == "Error" then
  return {status = "Degraded", message = says(condition("ReconcileComplete"), "the operator says Error")}
end
if ready.status == "True" or (ready.status == nil and status.phase == "Ready") then
  return {status = "Healthy", message = "all components are ready"}
end
if ready.status then
  return {status = "Progressing", message = says(ready, "the components are not ready yet")}
end
local told = says(condition("ReconcileComplete"), "waiting for the operator to deploy the components")
return {status = "Progressing", message = told}
