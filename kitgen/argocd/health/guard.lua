-- Run a health check as Argo CD does: the base functions, the functions of tables, and `obj`. What could reach
-- beyond the object, run without a bound, or differ from one run to the next is not there.
local MAX_STEPS, MAX_SECONDS, EVERY = ...
local clock, getinfo, sethook, compile, protected = os.clock, debug.getinfo, debug.sethook, loadstring, pcall
local sort, real_type, real_error, real_select, real_get = table.sort, type, error, select, rawget
local collect, no_methods = collectgarbage, getmetatable("")
local NAME = "=check"
local steps, start, last, spent = 0, 0, 1, nil

local function watch(event, line)
  if event == "line" then
    local known, running = protected(getinfo, 3, "S") -- not where memory is full
    if known and running.source == NAME then last = line end
    return
  end
  steps = steps + EVERY
  if steps > MAX_STEPS or clock() - start > MAX_SECONDS then
    spent = true
    real_error("spent", 0)
  end
end

-- An error of `watch` must not be caught. A handler of xpcall would run before the stack is unwound, when nothing
-- is watched, so it is called afterwards.
local function passed(...)
  if spent then real_error("spent", 0) end
  return ...
end
local function guarded(call, ...) return passed(protected(call, ...)) end
local function handled(handler, ok, ...)
  if ok then return true, ... end
  return false, handler(...)
end

-- What compares by itself is not watched while it sorts.
local function sorted(list, before)
  local compare = function(a, b) return a < b end
  if before ~= nil then compare = function(a, b) return before(a, b) end end
  return sort(list, compare)
end

local allowed = {
  assert = assert, error = error, getmetatable = getmetatable, ipairs = ipairs, next = next, pairs = pairs,
  pcall = guarded, print = function() end, rawequal = rawequal, rawget = rawget, rawset = rawset, select = select,
  setmetatable = setmetatable, tonumber = tonumber, tostring = tostring, type = type, unpack = unpack,
  xpcall = function(call, handler) return handled(handler, guarded(call)) end,
  table = {
    concat = table.concat, insert = table.insert, maxn = table.maxn, remove = table.remove, sort = sorted,
  },
}

local function judge(result)
  if real_type(result) ~= "table" then return "returned", real_type(result), nil, last end
  local status, message = real_get(result, "status"), real_get(result, "message")
  if real_type(status) ~= "string" then return "status", real_type(status), nil, last end
  if message ~= nil and real_type(message) ~= "string" then return "message", real_type(message), nil, last end
  return "done", status, message or "", last
end

local function finished(ok, ...)
  sethook()
  collect() -- where memory is full, there is none for the answer
  if spent then return "spent", nil, nil, last end
  local count = real_select("#", ...)
  if ok then return judge(count > 0 and (real_select(count, ...)) or nil) end
  local problem = ...
  return "failed", real_type(problem) == "string" and problem or real_type(problem), nil, last
end

return function(source, object)
  local chunk, problem = compile(source, NAME)
  if not chunk then return "syntax", problem, nil, 1 end
  local globals, each, set = _G, pairs, rawset
  for name in each(globals) do set(globals, name, nil) end
  for name, value in each(allowed) do set(globals, name, value) end
  globals._G, globals.obj = globals, object
  no_methods.__index, no_methods.__metatable = nil, false
  start = clock()
  sethook(watch, "l", EVERY)
  return finished(protected(chunk))
end
