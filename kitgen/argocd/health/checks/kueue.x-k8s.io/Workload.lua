-- To wait in a queue, and to make room for others, is what a queue is for: neither is a fault.
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
local function says(each, otherwise)
  return told(each.message or "", each.reason or "", otherwise)
end

if meta.deletionTimestamp then
  return {status = "Progressing", message = "being deleted"}
end
local finished, evicted = condition("Finished"), condition("Evicted")
if finished.status == "True" then
  local reason = finished.reason
  local wrong = reason == "Failed" or reason == "OutOfSync" or reason == "AdmissionChecksRejected"
  return {status = wrong and "Degraded" or "Healthy", message = says(finished, "finished")}
end
if spec.active == false then
  local reason = evicted.status == "True" and evicted.reason or "Deactivated"
  if reason == "Deactivated" or reason == "InactiveWorkload" then
    return {status = "Suspended", message = "deactivated"}
  end
  return {status = "Degraded", message = says(evicted, "given up")}
end
for _, each in ipairs(status.admissionChecks or {}) do
  if each.state == "Rejected" then
    local message = told(each.message or "", "rejected")
    return {status = "Degraded", message = "admission check " .. (each.name or "") .. ": " .. message}
  end
end
if condition("Admitted").status == "True" then
  local ready = condition("PodsReady")
  if evicted.status == "True" then
    return {status = "Progressing", message = says(evicted, "evicted")}
  end
  if ready.status == "False" then
    return {status = "Progressing", message = says(ready, "waiting for its pods")}
  end
  return {status = "Healthy", message = says(condition("Admitted"), "admitted")}
end
local quota = condition("QuotaReserved")
if quota.reason == "Inadmissible" then
  return {status = "Degraded", message = says(quota, "inadmissible")}
end
if quota.status == "True" then
  return {status = "Healthy", message = "quota is reserved, waiting for admission checks"}
end
if evicted.status == "True" then
  return {status = "Healthy", message = "waiting in queue again: " .. says(evicted, "evicted")}
end
if quota.status == "False" then
  return {status = "Healthy", message = "waiting in queue: " .. says(quota, "no quota yet")}
end
return {status = "Progressing", message = "waiting for Kueue to see the workload"}
