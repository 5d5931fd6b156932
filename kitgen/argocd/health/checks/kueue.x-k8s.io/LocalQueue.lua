local meta, status = obj.metadata or {}, obj.status or {}
local active = {}
for _, each in ipairs(status.conditions or {}) do
  if each.type == "Active" then active = each end
end
local message = active.message or ""
if message == "" then message = active.reason or "" end

if meta.deletionTimestamp then
  return {status = "Progressing", message = "being deleted"}
end
if (active.observedGeneration or meta.generation or 0) < (meta.generation or 0) then
  return {status = "Progressing", message = "waiting for Kueue to see the change"}
end
if active.status == "True" then
  return {status = "Healthy", message = message}
end
if active.status == "False" then
  return {status = active.reason == "Stopped" and "Suspended" or "Degraded", message = message}
end
return {status = "Progressing", message = "waiting for Kueue to see the queue"}
