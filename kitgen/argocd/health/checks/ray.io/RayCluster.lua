-- KubeRay does not keep observedGeneration up to date when nothing else in the status changes: it is not asked.
local meta, spec, status = obj.metadata or {}, obj.spec or {}, obj.status or {}
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

if meta.deletionTimestamp then
  return {status = "Progressing", message = "being deleted"}
end
if spec.suspend then
  local queue = (meta.labels or {})["kueue.x-k8s.io/queue-name"]
  if queue then
    return {status = "Healthy", message = "waiting in queue " .. queue}
  end
  return {status = "Suspended", message = "suspended, and in no queue"}
end
if status.state == "failed" or status.state == "unhealthy" then
  return {status = "Degraded", message = told(status.reason or "", "KubeRay says " .. status.state)}
end
local failure = condition("ReplicaFailure")
if failure.status == "True" then
  return {status = "Degraded", message = told(failure.message or "", failure.reason or "", "a pod fails")}
end
local head, all = condition("HeadPodReady"), condition("RayClusterProvisioned")
if status.state == "ready" or all.status == "True" then
  if head.status == "False" then
    return {status = "Degraded", message = told(head.message or "", head.reason or "", "the head is not ready")}
  end
  local available, desired = status.availableWorkerReplicas or 0, status.desiredWorkerReplicas or 0
  return {status = "Healthy", message = available .. " of " .. desired .. " workers are available"}
end
if status.state == "suspended" then
  return {status = "Progressing", message = "starting again"}
end
return {status = "Progressing", message = told(all.message or "", "waiting for KubeRay to start all pods")}
