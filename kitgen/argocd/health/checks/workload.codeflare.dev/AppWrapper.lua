-- v1beta2 has a phase and a queue of Kueue, v1beta1 a state and a queue of its own. What waits in its queue or runs
-- does what it is to do. Where it is a hook of a sync, it must have ended.
local meta, spec, status = obj.metadata or {}, obj.spec or {}, obj.status or {}
local is_hook = (meta.annotations or {})["argocd.argoproj.io/hook"] ~= nil
local function on_its_way(message)
  return {status = is_hook and "Progressing" or "Healthy", message = message}
end
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
local phase, unhealthy = status.phase or status.state or "", condition("Unhealthy")
local state = "the AppWrapper is " .. phase
local complaint = told(unhealthy.message or "", unhealthy.reason or "", status.message or "", state)
if phase == "Failed" then
  return {status = "Degraded", message = complaint}
end
if phase == "Succeeded" or phase == "Completed" or phase == "RunningHoldCompletion" then
  return {status = "Healthy", message = "all that it wraps is done"}
end
if phase == "Pending" then
  return on_its_way(told(status.message or "", "waiting in queue"))
end
if spec.suspend and (phase == "Suspended" or phase == "") then
  local queue = (meta.labels or {})["kueue.x-k8s.io/queue-name"]
  if queue then
    return on_its_way("waiting in queue " .. queue)
  end
  return {status = "Suspended", message = "suspended, and in no queue"}
end
if phase == "Running" then
  if unhealthy.status == "True" then
    return {status = "Degraded", message = complaint}
  end
  local ready = condition("PodsReady")
  if ready.status == "False" then
    return {status = "Progressing", message = told(ready.message or "", ready.reason or "", "waiting for its pods")}
  end
  return on_its_way("running")
end
if phase == "" then
  return {status = "Progressing", message = "waiting for the operator to see the AppWrapper"}
end
return {status = "Progressing", message = state}
