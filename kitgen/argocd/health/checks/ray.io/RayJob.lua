-- A job that waits in its queue or runs does what it is to do. Where it is a hook of a sync, it must have ended.
local meta, spec, status = obj.metadata or {}, obj.spec or {}, obj.status or {}
local is_hook = (meta.annotations or {})["argocd.argoproj.io/hook"] ~= nil
local function on_its_way(message)
  return {status = is_hook and "Progressing" or "Healthy", message = message}
end
local function told(...)
  for _, text in ipairs({...}) do
    if text ~= "" then return text end
  end
end

if meta.deletionTimestamp then
  return {status = "Progressing", message = "being deleted"}
end
local job, deployment = status.jobStatus or "", status.jobDeploymentStatus or ""
if job == "FAILED" or job == "STOPPED" or deployment == "Failed" or deployment == "ValidationFailed" then
  if deployment ~= "Retrying" then
    local message = told(status.message or "", status.reason or "", "the job ended as " .. told(job, deployment))
    return {status = "Degraded", message = message}
  end
end
if job == "SUCCEEDED" or deployment == "Complete" then
  return {status = "Healthy", message = told(status.message or "", "the job succeeded")}
end
if spec.suspend then
  local queue = (meta.labels or {})["kueue.x-k8s.io/queue-name"]
  if queue then
    return on_its_way("waiting in queue " .. queue)
  end
  return {status = "Suspended", message = "suspended, and in no queue"}
end
if deployment == "Running" then
  return on_its_way(told(status.message or "", "the job runs"))
end
if deployment == "Waiting" then
  return on_its_way("waiting for somebody to submit the job")
end
if deployment == "Scheduling" or deployment == "Scheduled" then
  return on_its_way("waiting for its next time")
end
if deployment == "Retrying" then
  return {status = "Progressing", message = told(status.message or "", "the job failed, and is tried again")}
end
return {status = "Progressing", message = told(status.message or "", "waiting for KubeRay to start the job")}
