/**
 * Beginning of all scripts. A task is a hash, `:t:` and its id, that expires with it. Its fields are: version `v`,
 * epoch `e`, open `o`, due `d`, expires `x`, queue `q`, owner `w`, the name of its owner's sets `k`, that of its
 * share's set `h`, node `n`, text `t`, and the name of the call that wrote it `s`. Clients send a call again if its
 * reply was lost with the connection, and it must count once. The indexes are sorted sets: `:begun:` and `:fresh:` of a
 * queue by due time, `:own:` of an owner by id, `:open:` of an owner and of a share and `:ends` by expiry. Times are
 * those of the server, in milliseconds since 1970.
 */
const common = `
local base = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- The fields of a task that is not gone, or nothing.
local function live(id, ...)
  local fields = redis.call('HMGET', base .. ':t:' .. id, 'x', 'v', ...)
  if not fields[2] or (fields[1] and tonumber(fields[1]) <= now) then return nil end
  return fields
end

-- Puts a task where a claim finds it, if it is ever due.
local function wait(id, queue, epoch, open, due)
  redis.call('ZREM', base .. ':begun:' .. queue, id)
  redis.call('ZREM', base .. ':fresh:' .. queue, id)
  if open and due then
    redis.call('ZADD', base .. (tonumber(epoch) > 0 and ':begun:' or ':fresh:') .. queue, due, id)
  end
end

local function finish(id, queue, names, share, expires)
  redis.call('PEXPIREAT', base .. ':t:' .. id, expires)
  redis.call('ZADD', base .. ':ends', expires, id .. ' ' .. #queue .. ' ' .. #names .. ' ' .. queue .. names .. share)
end

-- Puts a task among the open ones of its owner and its share, or takes it from there.
local function count(id, names, share, open, expires)
  for _, set in ipairs({ names, share }) do
    if set ~= '' and open then redis.call('ZADD', base .. ':open:' .. set, expires or '+inf', id)
    elseif set ~= '' then redis.call('ZREM', base .. ':open:' .. set, id) end
  end
end

-- Number of the open tasks of an owner, or of a share.
local function opened(set)
  redis.call('ZREMRANGEBYSCORE', base .. ':open:' .. set, '-inf', now)
  return redis.call('ZCARD', base .. ':open:' .. set)
end

local function shown(id)
  local task = live(id, 'q', 'w', 'e', 'o', 'd', 't')
  if not task then return nil end
  local due = task[7] and math.max(0, task[7] - now)
  local left = task[1] and task[1] - now
  return { id, task[3], task[4], tonumber(task[2]), tonumber(task[5]), tonumber(task[6]), due, left, task[8] }
end
`;

const add = `
local id, queue, owner, names, share, version, epoch, open, due, expires, text, most, call = unpack(ARGV)
local there = live(id, 's')
if there then return there[3] == call and 'added' or 'known' end
if open == '1' then
  local left = tonumber(most) - opened(names)
  if left <= 0 then return 'full' end
  if share ~= '' and opened(share) >= left then return 'no-room' end
end
local key = base .. ':t:' .. id
redis.call('DEL', key)
redis.call('HSET', key, 'v', version, 'e', epoch, 'o', open, 'q', queue, 'w', owner, 'k', names, 'h', share, 't', text, 's', call)
due = due ~= '' and now + due or nil
expires = expires ~= '' and now + expires or nil
if due then redis.call('HSET', key, 'd', due) end
if expires then redis.call('HSET', key, 'x', expires) end
wait(id, queue, epoch, open == '1', due)
redis.call('ZADD', base .. ':own:' .. names, 0, id)
if open == '1' then count(id, names, share, true, expires) end
if expires then finish(id, queue, names, share, expires) end
return 'added'
`;

const swap = `
local id, version, epoch, open, due, expires, text, call = unpack(ARGV)
local task = live(id, 'q', 'k', 'd', 's', 'h')
if not task then return 0 end
if tonumber(task[2]) ~= version - 1 then return task[2] == version and task[6] == call and 1 or 0 end
local key, queue, names, kept, share = base .. ':t:' .. id, task[3], task[4], task[5], task[7]
if due == 'keep' then due = kept
elseif due ~= '' then due = now + due
else due = nil end
redis.call('HSET', key, 'v', version, 'e', epoch, 'o', open, 't', text, 's', call)
if due then redis.call('HSET', key, 'd', due) else redis.call('HDEL', key, 'd') end
wait(id, queue, epoch, open == '1', due)
local ends = task[1]
if expires ~= '' then
  ends = now + expires
  redis.call('HSET', key, 'x', ends)
  finish(id, queue, names, share, ends)
end
count(id, names, share, open == '1', ends)
return 1
`;

const claim = `
local queue, forMs, node, most = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local found = {}
for _, kind in ipairs({ ':begun:', ':fresh:' }) do
  local set = base .. kind .. queue
  while #found < most do
    local ids = redis.call('ZRANGEBYSCORE', set, '-inf', now, 'LIMIT', 0, most - #found)
    if #ids == 0 then break end
    for _, id in ipairs(ids) do
      redis.call('ZREM', set, id)
      if live(id) then table.insert(found, id) end
    end
  end
end
for at, id in ipairs(found) do
  local key = base .. ':t:' .. id
  redis.call('HINCRBY', key, 'v', 1)
  local epoch = redis.call('HINCRBY', key, 'e', 1)
  redis.call('HSET', key, 'd', now + forMs, 'n', node)
  wait(id, queue, epoch, true, now + forMs)
  found[at] = shown(id)
end
return found
`;

const renew = `
local due = now + ARGV[1]
local lost = {}
for at = 2, #ARGV, 2 do
  local id = ARGV[at]
  local task = live(id, 'e', 'o', 'd', 'q')
  if task and tonumber(task[3]) == tonumber(ARGV[at + 1]) and task[4] == '1' and task[5] then
    redis.call('HSET', base .. ':t:' .. id, 'd', due)
    wait(id, task[6], task[3], true, due)
  else
    table.insert(lost, id)
  end
end
return lost
`;

const list = `
local set, after, most = base .. ':own:' .. ARGV[1], ARGV[2], tonumber(ARGV[3])
local found = {}
while #found < most do
  local from = after == '' and '-' or '(' .. after
  local ids = redis.call('ZRANGEBYLEX', set, from, '+', 'LIMIT', 0, most - #found)
  if #ids == 0 then break end
  for _, id in ipairs(ids) do
    local task = shown(id)
    if task then table.insert(found, task) end
    after = id
  end
end
return found
`;

/** Another task may have taken an id that was free: what belongs to that one stays. */
const sweep = `
local gone = redis.call('ZRANGEBYSCORE', base .. ':ends', '-inf', now, 'LIMIT', 0, ARGV[1])
for _, member in ipairs(gone) do
  local id, length, namesLength, rest = string.match(member, '^(%S+) (%d+) (%d+) (.*)$')
  local queue, names = string.sub(rest, 1, length), string.sub(rest, length + 1, length + namesLength)
  local share = string.sub(rest, length + namesLength + 1)
  local other = live(id, 'k', 'h')
  if not other then
    redis.call('DEL', base .. ':t:' .. id)
    wait(id, queue, 0, false)
  end
  if not other or other[3] ~= names then
    redis.call('ZREM', base .. ':own:' .. names, id)
    count(id, names, '', false)
  end
  if not other or other[4] ~= share then count(id, '', share, false) end
  redis.call('ZREM', base .. ':ends', member)
end
return #gone
`;

/** Names of the scripts of the store. */
export type RedisScript = 'add' | 'get' | 'swap' | 'claim' | 'renew' | 'list' | 'sweep';

/** Scripts of the store, each with one key, the beginning of all names. */
export const redisScripts: Readonly<Record<RedisScript, string>> = {
  add: `${common}${add}`,
  get: `${common}return shown(ARGV[1])`,
  swap: `${common}${swap}`,
  claim: `${common}${claim}`,
  renew: `${common}${renew}`,
  list: `${common}${list}`,
  sweep: `${common}${sweep}`,
};
