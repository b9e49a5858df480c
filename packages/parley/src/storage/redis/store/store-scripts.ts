/**
 * Scripts of the store. Each uses keys with only one tag, and is idempotent: a second run of a call changes nothing
 * more, and returns the same.
 */

import { createHash } from 'node:crypto';

/** A script, and the name by which a server knows it. */
export interface StoreScript {
  readonly text: string;
  readonly digest: string;
}

function script(flags: string, text: string): StoreScript {
  // With a first line, from version 7 on, a full server refuses a script before it has done anything.
  const whole = `#!lua${flags === '' ? '' : ` flags=${flags}`}\n${text.trim()}\n`;
  return { text: whole, digest: createHash('sha1').update(whole).digest('hex') };
}

/**
 * A record is the text `version mark text`; the mark is of the call that wrote it. The version is the time of the server in microseconds, or one more than the
 * one before, so that it grows also where nothing is left of that.
 */
const put = script(
  '',
  `
local wanted, mark, life, text = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local before, writer = string.match(redis.call('GETRANGE', KEYS[1], 0, 63), '^(%d+) (%S+) ')
if before and writer == mark then return before end
local version = tonumber(before or 0)
if wanted ~= '' and tonumber(wanted) ~= version then return false end
local time = redis.call('TIME')
version = string.format('%.0f', math.max(version + 1, time[1] * 1000000 + time[2]))
redis.call('SET', KEYS[1], version .. ' ' .. mark .. ' ' .. text, 'PX', life)
return version
`,
);

/**
 * Streams of a session: a hash, and a list of events for each stream. The hash has these fields: \`n\`, the number of
 * all events; \`b\`, their bytes; \`f\`, the epoch up to which writers are fenced since the log was cleared. For each
 * stream it has \`s\` with its state, \`a\` with its description, and \`c\` with the marks of the last calls that made
 * a new writer, the newest first.
 */
const streams = `
local key = KEYS[1]
local time = redis.call('TIME')
local now = math.floor(time[1] * 1000 + time[2] / 1000)

local function parsed(name, text)
  if not text then return nil end
  local epoch, last, complete, at, count, bytes = string.match(text, '^(%d+) (%d+) (%d) (%d+) (%d+) (%d+)$')
  return {
    name = name, list = key .. ':' .. name, epoch = tonumber(epoch), last = tonumber(last),
    complete = complete == '1', at = tonumber(at), count = tonumber(count), bytes = tonumber(bytes),
  }
end

local function known(name) return parsed(name, redis.call('HGET', key, 's' .. name)) end

local function begun(name, epoch, last, about)
  redis.call('HSET', key, 'a' .. name, about)
  redis.call('HINCRBY', key, 'b', #about)
  return { name = name, list = key .. ':' .. name, epoch = epoch, last = last, complete = false, count = 0, bytes = 0 }
end

local function textOf(stream)
  local words = { stream.epoch, stream.last, stream.complete and 1 or 0, stream.at, stream.count, stream.bytes }
  return string.format('%.0f %.0f %d %.0f %d %d', unpack(words))
end

local function keep(stream) redis.call('HSET', key, 's' .. stream.name, textOf(stream)) end

local function forget(stream)
  redis.call('HINCRBY', key, 'n', 0 - stream.count)
  redis.call('HINCRBY', key, 'b', 0 - stream.bytes - redis.call('HSTRLEN', key, 'a' .. stream.name))
  redis.call('HDEL', key, 's' .. stream.name, 'a' .. stream.name, 'c' .. stream.name)
  redis.call('DEL', stream.list)
end

-- All streams, those first that were not written for the longest.
local function all()
  local found = {}
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 1) == 's' then table.insert(found, known(string.sub(field, 2))) end
  end
  table.sort(found, function(one, other) return one.at < other.at end)
  return found
end
`;

/**
 * Epoch of a writer: the next one for a writer that continues by its mark. Otherwise one that is far away, even if the
 * clock goes back.
 */
const write = script(
  '',
  `${streams}
local name, about, life, most = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local marked, from = string.match(ARGV[5], '^(%d+) (%d+)$')
local mark, call = tonumber(marked), ARGV[6]
local epoch = time[1] * 1000000 + time[2]
local stream = known(name)
if stream and stream.at + life <= now then
  forget(stream)
  stream = nil
end
local calls = redis.call('HGET', key, 'c' .. name) or ' '
local place = string.find(calls, ' ' .. call .. ' ', 1, true)
if stream then
  if stream.complete then return false end
  if ARGV[5] == '' then
    -- The second time that a call comes it makes nobody another writer.
    if place and place > 1 then return false end
    if not place then stream.epoch = math.max(stream.epoch + 1000, epoch) end
  elseif mark and stream.epoch <= mark + 1 then
    -- One below the mark is that of an engine which lost its last writes.
    stream.epoch = mark + 1
  else
    return false
  end
else
  local others = all()
  local many = #others
  for _, other in ipairs(others) do
    if other.at + life <= now or many > most then
      forget(other)
      many = many - 1
    end
  end
  stream = begun(name, math.max(epoch, tonumber(redis.call('HGET', key, 'f') or 0) + 1), tonumber(from) or 0, about)
end
if call ~= '' then
  if not place then calls = ' ' .. call .. calls end
  -- What else of the same caller may come late does nothing then.
  for at = 7, #ARGV do
    if not string.find(calls, ' ' .. ARGV[at] .. ' ', 1, true) then
      calls = ' ' .. call .. ' ' .. ARGV[at] .. string.sub(calls, #call + 2)
    end
  end
  if not place or #ARGV > 6 then redis.call('HSET', key, 'c' .. name, string.sub(calls, 1, 256)) end
end
stream.at = now
keep(stream)
redis.call('PEXPIRE', key, life)
redis.call('PEXPIRE', KEYS[2], life)
return { string.format('%.0f', stream.epoch), stream.last }
`,
);

/** Adds the events after the stored ones. That alone makes a repeated call harmless. */
const append = script(
  '',
  `${streams}
local name, epoch, first, last, life = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1', tonumber(ARGV[5])
local mostEvents, mostBytes, about = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
local begins = 9
local final = first + #ARGV - begins
local list = KEYS[2]
local kept = redis.call('HMGET', key, 's' .. name, 'n', 'b')
local stream, isFresh = parsed(name, kept[1]), false
if stream and stream.at + life <= now then
  forget(stream)
  stream = nil
end
if not stream then
  if epoch <= tonumber(redis.call('HGET', key, 'f') or 0) then return 'fenced' end
  if about == '' then return 'unknown' end
  stream, isFresh = begun(name, epoch, first - 1, string.sub(about, 2)), true
  stream.at = 0
  kept = redis.call('HMGET', key, 's' .. name, 'n', 'b')
end
if stream.epoch ~= epoch then return 'fenced' end
if stream.last >= final then return 'kept' end
if stream.complete then return 'fenced' end
if stream.last < first - 1 then return 'missing' end

local events, bytes, count, length = tonumber(kept[2] or 0), tonumber(kept[3] or 0), 0, 0
for at = begins + stream.last - first + 1, #ARGV do
  redis.call('RPUSH', list, ARGV[at])
  count, length = count + 1, length + #ARGV[at]
end
-- What it takes to renew an expiry is spared within a second.
local isRenewed = stream.count == 0 or math.floor(stream.at / 1000) ~= math.floor(now / 1000)
stream.last, stream.complete, stream.at = final, last, now
stream.count, stream.bytes = stream.count + count, stream.bytes + length
events, bytes = events + count, bytes + length

local function shrink(from)
  while events > mostEvents or bytes > mostBytes do
    local oldest = redis.call('LPOP', from.list)
    if not oldest then return true end
    from.count, from.bytes = from.count - 1, from.bytes - #oldest
    events, bytes = events - 1, bytes - #oldest
  end
  return false
end

if events > mostEvents or bytes > mostBytes then
  for _, other in ipairs(all()) do
    if other.name ~= name then
      if not shrink(other) then
        keep(other)
        break
      end
      -- What is counted still had expired before it.
      events, bytes = events - other.count, bytes - other.bytes - redis.call('HSTRLEN', key, 'a' .. other.name)
      redis.call('HDEL', key, 's' .. other.name, 'a' .. other.name, 'c' .. other.name)
    end
  end
  shrink(stream)
end
redis.call('HSET', key, 's' .. name, textOf(stream), 'n', events, 'b', bytes)
if isRenewed or isFresh then
  redis.call('PEXPIRE', key, life + 1000)
  redis.call('PEXPIRE', list, life + 1000)
end
return 'kept'
`,
);

const read = script(
  'no-writes',
  `${streams}
local name, after, life = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local stream = known(name)
if not stream or stream.at + life <= now then return false end
local missed, there = stream.last - after, redis.call('LLEN', KEYS[2])
if missed < 0 or missed > there then return false end
local events = {}
if missed > 0 then events = redis.call('LRANGE', KEYS[2], there - missed, -1) end
return { stream.complete and 1 or 0, redis.call('HGET', key, 'a' .. name) or '', events }
`,
);

const clear = script(
  'allow-oom',
  `${streams}
local life = ARGV[1]
if redis.call('EXISTS', key) == 0 then return 0 end
local epoch = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('HGET', key, 'f') or 0))
for _, stream in ipairs(all()) do
  epoch = math.max(epoch, stream.epoch)
  redis.call('DEL', key .. ':' .. stream.name)
end
redis.call('DEL', key)
redis.call('HSET', key, 'f', string.format('%.0f', epoch))
redis.call('PEXPIRE', key, life)
return 1
`,
);

/** The generic cell rate algorithm: it stores the time at which the burst is full again. */
const take = script(
  '',
  `
local perMs, burst, cost = ARGV[1] / 1000, tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local most = burst / perMs

local function keep(whole)
  redis.call('SET', KEYS[1], string.format('%.3f', whole), 'PX', string.format('%.0f', math.ceil(whole - now)))
end

local kept = tonumber(redis.call('GET', KEYS[1]) or 0)
-- More than a whole burst was never taken: the clock was set back since.
if kept > now + most + 0.001 then
  kept = now + most
  keep(kept)
end
local whole = math.max(now, kept) + cost / perMs
local over = whole - now - most
if over > 0.001 then return string.format('%.3f', math.min(over, most)) end
if whole > now then keep(whole) end
return false
`,
);

/** Responses of one server: an index of their keys in the order of letters, and each of them beside it. */
const cacheSet = script(
  '',
  `
local field, life, text, most = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
redis.call('SET', KEYS[2], text, 'PX', life)
redis.call('ZADD', KEYS[1], 0, field .. ARGV[5])
if redis.call('PTTL', KEYS[1]) < life then redis.call('PEXPIRE', KEYS[1], life) end
while redis.call('ZCARD', KEYS[1]) > most do
  local other = redis.call('ZRANDMEMBER', KEYS[1])
  redis.call('ZREM', KEYS[1], other)
  redis.call('DEL', KEYS[1] .. ':' .. string.sub(other, -22))
end
return 1
`,
);

const cacheDelete = script(
  'allow-oom',
  `
local found = redis.call('ZRANGEBYLEX', KEYS[1], '[' .. ARGV[1], '(' .. ARGV[1] .. string.char(255))
for _, field in ipairs(found) do
  redis.call('ZREM', KEYS[1], field)
  redis.call('DEL', KEYS[1] .. ':' .. string.sub(field, -22))
end
return #found
`,
);

export const storeScripts: Readonly<
  Record<'put' | 'write' | 'append' | 'read' | 'clear' | 'take' | 'cacheSet' | 'cacheDelete', StoreScript>
> = { put, write, append, read, clear, take, cacheSet, cacheDelete };
