import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createMark, markerVariable } from '#platform/process/process-marker.ts'
import { refusalOf, startTestDaemon } from '#test/harness/interns/daemon.ts'
import { isRunning } from '#test/harness/interns/interns.ts'
import { until } from '#test/harness/until.ts'
import { launchAhead } from './acp/launch.ts'

const withProcess = (limits = {}) => startTestDaemon({ agent: ['load'], limits })

test('an agent that dies before the turn starts ends it with the reason', async () => {
  await using daemon = await withProcess()
  const refusal = await refusalOf(daemon.say('crash out of luck'))
  assert.deepEqual([refusal?.code, refusal?.reason, refusal?.retryable], [502, 'stream_severed', true])
  assert.equal(refusal?.message, 'The agent was killed by SIGKILL: out of luck')
})

test('an agent that dies during a turn ends its stream, and the next turn has another', async () => {
  await using daemon = await withProcess()
  const { last, text, sessionId } = await daemon.say('say hi\ncrash')
  assert.equal(text, 'hi')
  assert.ok(last.type === 'turn.failed' && last.reason === 'stream_severed' && last.retryable)
  assert.equal((await daemon.say('say again', { sessionId })).text, 'again')
})

test('the question of a run whose agent died is no longer pending', async () => {
  await using daemon = await withProcess()
  const turn = await daemon.say('permission shell allow_once')
  await daemon.say('say hi\ncrash')
  const refusal = await refusalOf(daemon.answer(turn, 'allow_once'))
  assert.deepEqual([refusal?.code, refusal?.reason], [409, 'interaction_not_pending'])
})

for (const [what, prompt, message] of [
  ['a message that is cut off', 'raw {"jsonrpc":"2.0","method', /a line that is not JSON/],
  ['a batch', 'raw [{"jsonrpc":"2.0"}]', /a batch/],
  ['a message without end', 'huge 3', /more than 1048576 bytes/],
] as const) {
  test(`an agent that sends ${what} fails its turns, and the daemon continues`, async () => {
    await using daemon = await withProcess({ maxMessageBytes: 1024 * 1024 })
    const { last, sessionId } = await daemon.say(`say hi\n${prompt}\nwait 10000`)
    assert.ok(last.type === 'turn.failed' && last.reason === 'turn_failed' && !last.retryable)
    assert.match(last.message, message)
    assert.equal((await daemon.say('say again', { sessionId })).text, 'again')
  })
}

test('an agent that fills its standard error is not stopped by it', async () => {
  await using daemon = await withProcess()
  assert.equal((await daemon.say('complain 2000\nsay hi')).text, 'hi')
})

test('an agent that cannot start is reported with the reason', async () => {
  await using daemon = await startTestDaemon({ command: '/nowhere/agent' })
  const refusal = await refusalOf(daemon.say('say hi'))
  assert.deepEqual([refusal?.code, refusal?.retryable], [502, false])
  assert.match(refusal?.message ?? '', /nowhere\/agent/)
})

test('an agent that ends before its hello is a refusal with its last words', async () => {
  await using daemon = await startTestDaemon({ command: '/bin/sh', agent: ['-c', 'echo no licence >&2; exit 3'] })
  assert.match((await refusalOf(daemon.say('say hi')))?.message ?? '', /exited with code 3: no licence/)
})

test('an agent that never initializes is abandoned', async () => {
  await using daemon = await startTestDaemon({
    command: '/bin/sleep',
    agent: ['100'],
    limits: { handshakeMs: 100 },
  })
  const refusal = await refusalOf(daemon.say('say hi'))
  assert.deepEqual([refusal?.code, refusal?.reason, refusal?.retryable], [503, 'intern_not_ready', true])
  assert.match(refusal?.message ?? '', /did not respond to initialize within 0.1 s/)
})

test('an agent without work is stopped, and started again for the next turn', async () => {
  await using daemon = await startTestDaemon({ agent: ['load'], limits: { agentIdleMs: 500 } })
  const { sessionId } = await daemon.say('say hi')
  while ((await daemon.runs.health()).agent === 'running') await new Promise((resolve) => setTimeout(resolve, 20))
  const { text } = await daemon.say('say again', { sessionId })
  assert.equal(text, 'again')
})

test('an agent that cannot take up its sessions is never stopped for being idle', async () => {
  await using daemon = await startTestDaemon({ restore: 'never', limits: { agentIdleMs: 10 } })
  await daemon.say('say hi')
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.equal((await daemon.runs.health()).agent, 'running')
})

test('a flood is limited to the speed of its reader, without losses', async () => {
  await using daemon = await withProcess({ maxUnsentBytes: 200_000 })
  const events = await daemon.runs.start({ prompt: 'flood 24', mode: 'manual' }, new AbortController().signal)
  const before = process.memoryUsage().rss
  await new Promise((resolve) => setTimeout(resolve, 1000))
  assert.ok(process.memoryUsage().rss - before < 40e6, 'the daemon swallowed the flood')
  let length = 0
  for await (const event of events) length += event.type === 'text.added' ? event.text.length : 0
  assert.equal(length, 24 * 1024 * 1024)
})

test('a caller who stops reading is disconnected', async () => {
  await using daemon = await withProcess({ maxUnsentBytes: 100_000, stalledCallerMs: 1500 })
  const flooded = await daemon.runs.start({ prompt: 'flood 24', mode: 'manual' }, new AbortController().signal)
  assert.equal((await daemon.say('say hello')).text, 'hello')
  while ((await daemon.runs.health()).runs > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  const events = await Array.fromAsync(flooded)
  const last = events.at(-1)
  assert.ok(last?.type === 'turn.failed' && last.reason === 'stream_severed')
})

test('no process of an agent remains after its daemon stops', async () => {
  const script = fileURLToPath(new URL('../../bin/scripted-agent.ts', import.meta.url))
  const daemon = await startTestDaemon({
    command: '/bin/sh',
    agent: ['-c', 'sleep 1000 & echo $! > child; exec "$@"', 'sh', process.execPath, script, 'load'],
  })
  await daemon.say('say hi')
  const child = Number(readFileSync(`${daemon.folder}/workspace/child`, 'utf8'))
  process.kill(child, 0)
  await daemon[Symbol.asyncDispose]()
  await until(() => !isRunning(child))
})

test('the details of an agent’s error are in a field for programs', async () => {
  await using daemon = await startTestDaemon()
  const { last } = await daemon.say('say hi\nfail_with_details The key has no credit.')
  assert.ok(last.type === 'turn.failed')
  assert.equal(last.message, 'Internal error: The key has no credit.')
})

test('an agent that requires authentication gets the configured method, or an error', async () => {
  await using daemon = await startTestDaemon({ signIn: 'api-key', authenticate: 'api-key' })
  assert.equal((await daemon.say('say hi')).text, 'hi')
  await using without = await startTestDaemon({ signIn: 'api-key' })
  const { message } = (await refusalOf(without.say('say hi')))!
  assert.match(
    message,
    /Authentication required\. The agent offers these sign-in methods: "api-key" \(Use an API key\)\./,
  )
})

test('an agent starts with its daemon for a prompt, and pauses without one', async () => {
  await using daemon = await startTestDaemon({ startsAgent: true, limits: { agentIdleMs: 50 } })
  await until(() => daemon.logged.some(({ event }) => event === 'agent.ended'))
  assert.equal((await daemon.runs.health()).agent, 'stopped')
  assert.equal((await daemon.say('say hi')).text, 'hi')
})

test('an agent whose early start failed starts for the prompt, which gets the error', async () => {
  await using daemon = await startTestDaemon({ startsAgent: true, command: '/nowhere/agent' })
  await until(() => daemon.logged.some(({ event }) => event === 'agent.not_started'))
  assert.match((await refusalOf(daemon.say('say hi')))?.message ?? '', /nowhere.agent/)
})

test('a prelaunched agent is used for the first session only', async () => {
  let launched = 0
  const launch = launchAhead(async () => ({ number: ++launched }) as never)
  assert.equal(launched, 1)
  assert.deepEqual([await launch(), await launch(), launched], [{ number: 1 }, { number: 2 }, 2])
})

test('a daemon does not end processes that were started before it', {
  skip: process.platform !== 'linux' && 'only Linux lists processes in /proc',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-ahead-'))
  const mark = { [markerVariable]: createMark(join(folder, 'workspace')) }
  const ahead = spawn('sleep', ['600'], { env: { ...process.env, ...mark }, detached: true })
  await once(ahead, 'spawn')
  await until(() => readFileSync(`/proc/${ahead.pid}/environ`, 'utf8').includes(markerVariable))
  try {
    await using daemon = await startTestDaemon({ folder })
    assert.equal((await daemon.say('say hi')).text, 'hi')
    assert.equal(isRunning(ahead.pid!), true)
  } finally {
    ahead.kill('SIGKILL')
  }
})

for (const [what, line] of [
  ['a line of a log', '[tool] bash'],
  ['an object that is not JSON', "{ level: 'info', msg: 'started' }"],
  ['an object of a log', '{"level":"info","id":1,"msg":"started"}'],
  ['an array of numbers', '[1,2]'],
  ['an array of messages and others', '[{"jsonrpc":"2.0","method":"a"},"b"]'],
  ['an empty array', '[]'],
] as const)
  test(`${what} on the output of an agent is logged and skipped`, async () => {
    await using daemon = await startTestDaemon()
    const { text, last } = await daemon.say(`say before\nraw ${line}\nsay and after`)
    assert.deepEqual([text, last.type], ['beforeand after', 'turn.finished'])
    const logged = daemon.logged.filter(({ event }) => event === 'agent.line_skipped')
    assert.deepEqual(logged, [{ event: 'agent.line_skipped', line }])
  })

test('an agent that prints many lines of a log fills no log of its daemon', async () => {
  await using daemon = await startTestDaemon()
  await daemon.say(Array(100).fill('raw chatter').join('\n'))
  const logged = daemon.logged.filter(({ event }) => event.startsWith('agent.line'))
  assert.equal(logged.length, 21)
})

for (const [stopReason, end, text] of [
  ['end_turn', 'turn.finished', ''],
  ['max_tokens', 'turn.finished', 'limit of tokens'],
  ['max_turn_requests', 'turn.finished', 'limit of model requests'],
  ['error', 'turn.failed', 'did not complete the turn (stop reason "error")'],
] as const)
  test(`an agent that stops with ${stopReason} ends the turn as ${end}, with a note`, async () => {
    await using daemon = await startTestDaemon()
    const { last, reasoning } = await daemon.say(`say hi\nstop ${stopReason}`)
    assert.equal(last.type, end)
    const note = last.type === 'turn.failed' ? last.message : reasoning
    assert.ok(text === '' ? note === '' : note.includes(text), note)
  })

test('an agent that ends right after its turn has finished it', async () => {
  await using daemon = await startTestDaemon({ sendsLate: true, limits: { lateOutputMs: 200 } })
  const { text, last, sessionId } = await daemon.say('say hi\ncrash_later 1')
  assert.deepEqual([text, last.type], ['hi', 'turn.finished'])
  assert.equal((await daemon.say('say again', { sessionId })).text, 'again')
})

test('an agent without the mode of its settings is refused with a list of its modes', async () => {
  await using daemon = await startTestDaemon({ agent: ['load'], modes: { manual: 'ask' } })
  const { reason, message = '' } = (await refusalOf(daemon.say('mode'))) ?? {}
  assert.equal(reason, 'intern_rejected')
  assert.match(
    message,
    /does not offer the mode "ask" of its settings \(modes: manual\); it offers manual, self-drive\./,
  )
  assert.equal((await daemon.say('mode', { mode: 'self-drive' })).text, '[self-drive]')
})
