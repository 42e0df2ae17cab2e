import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { type Answers, connectStream, newFolder, realShell } from '#test/harness/interns/scripted-agent.ts'
import { until } from '#test/harness/until.ts'

const program = fileURLToPath(new URL('../../../../bin/agent.ts', import.meta.url))
const missing = await realShell().sandboxError('/tmp')
if (missing) console.log(`What needs a sandbox is NOT tried, because there is none: ${missing}`)
const skip = missing ?? false

/** The agent as the daemon starts it: a process, its pipes, and a dedicated environment. */
async function start(
  mode: 'manual' | 'self-drive',
  env: Record<string, string> = {},
  answers: Answers = {},
  limit = 'true',
) {
  const [state, workspace] = [await newFolder(), await newFolder()]
  const { PATH = '' } = process.env
  const agent = spawn('bash', ['--norc', '-c', `${limit}; exec "$0" "$@"`, process.execPath, program], {
    env: { PATH, HOME: state.path, SIGNALBOX_STATE_DIR: state.path, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise<number | null>((resolve) => agent.once('exit', resolve))
  agent.stdin.on('error', () => {})
  const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>)
  const client = await connectStream(stream, workspace.path, mode, answers)
  return {
    ...client,
    process: agent,
    exited,
    workspace: workspace.path,
    async [Symbol.asyncDispose]() {
      agent.kill('SIGKILL')
      await exited
      client.connection.close()
      await Promise.all([state[Symbol.asyncDispose](), workspace[Symbol.asyncDispose]()])
    },
  }
}

type Step = { text?: string; calls?: [name: string, input: object][] }

/** A model service that simulates a capable model: one answer for each request, streamed in small pieces. */
async function serveModel(steps: Step[]) {
  const requests: { messages: { role: string; content: string }[] }[] = []
  const server = createServer(async (request, response) => {
    const step = steps[requests.length] ?? { text: 'nothing more' }
    requests.push(JSON.parse((await request.toArray()).join('')))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (chunk: object) => response.write(`data: ${JSON.stringify({ model: 'capable-1', ...chunk })}\n\n`)
    const delta = (part: object) => send({ choices: [{ index: 0, delta: part }] })
    for (const word of step.text?.split(/(?= )/) ?? []) delta({ content: word })
    step.calls?.forEach(([name, input], index) => {
      delta({ tool_calls: [{ index, id: `c${requests.length}-${index}`, function: { name, arguments: '' } }] })
      for (const piece of JSON.stringify(input).match(/.{1,7}/gs) ?? []) {
        delta({ tool_calls: [{ index, function: { arguments: piece } }] })
      }
    })
    send({ choices: [{ index: 0, delta: {}, finish_reason: step.calls ? 'tool_calls' : 'stop' }] })
    send({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, cost: 0.001 } })
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    requests,
    env: {
      SIGNALBOX_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      SIGNALBOX_API_KEY: 'sk-secret-of-the-intern',
      SIGNALBOX_MODEL: 'capable',
      SIGNALBOX_INSTRUCTIONS: 'Speak of the weather.',
    },
    lastResults: (request: number) =>
      requests[request]!.messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('a failing test of a small project is found, repaired and seen to pass', {
  skip,
  timeout: 900_000,
}, async () => {
  await using model = await serveModel([
    {
      text: 'I look first.',
      calls: [
        ['list_files', {}],
        ['read_file', { path: 'package.json' }],
      ],
    },
    { calls: [['shell', { command: 'node --test' }]] },
    {
      calls: [
        ['read_file', { path: 'sum.js' }],
        ['search', { pattern: 'sum\\(' }],
      ],
    },
    { calls: [['edit_file', { path: 'sum.js', old_text: 'a - b', new_text: 'a + b' }]] },
    { calls: [['shell', { command: 'node --test' }]] },
    { text: 'The sum was a difference; the test passes now.' },
  ])
  await using agent = await start('manual', model.env, { permission: () => 'allow_always' })
  await writeFile(join(agent.workspace, 'package.json'), '{"type":"module","scripts":{"test":"node --test"}}')
  await writeFile(join(agent.workspace, 'sum.js'), 'export const sum = (a, b) => a - b\n')
  const spec = `import { test } from 'node:test'\nimport assert from 'node:assert'\nimport { sum } from './sum.js'\ntest('adds', () => assert.equal(sum(1, 2), 3))\n`
  await writeFile(join(agent.workspace, 'sum.test.js'), spec)

  const response = await agent.prompt('The test fails. Repair it.')
  assert.equal(response.stopReason, 'end_turn')
  assert.equal(await readFile(join(agent.workspace, 'sum.js'), 'utf8'), 'export const sum = (a, b) => a + b\n')
  const results = model.lastResults(5)
  assert.equal(results[0], 'package.json\nsum.js\nsum.test.js')
  assert.match(results[2] ?? '', /-1 !?==? 3.*\[exit code 1\]$/s)
  assert.match(results[4] ?? '', /sum.test.js:4:/)
  assert.match(results[6] ?? '', /pass 1\n.*\[exit code 0\]$/s)
  assert.equal(agent.permissionRequests.length, 1)
  assert.match(model.requests[0]!.messages[0]!.content, /Speak of the weather/)

  const { usage } = response as unknown as { usage: { totalTokens: number } }
  assert.equal(usage.totalTokens, 660)
  const cost = agent.updates.findLast((each) => each.sessionUpdate === 'usage_update')?.cost?.amount
  assert.ok(Math.abs((cost ?? 0) - 0.006) < 1e-9)
  assert.ok(
    agent.updates.some(
      (each) => each.sessionUpdate === 'config_option_update' && each.configOptions[0]?.currentValue === 'capable-1',
    ),
  )
})

test('the agent’s key is not seen by a command it approves', { skip }, async () => {
  const command = 'env; cat /proc/*/environ; cat /proc/[0-9]*/cmdline'
  await using model = await serveModel([{ calls: [['shell', { command }]] }])
  await using agent = await start('manual', model.env)
  await agent.prompt('look')
  assert.doesNotMatch(model.lastResults(1).join(), /sk-secret/)
})

test('it ends by itself when its client leaves, in the middle of a turn too', { timeout: 900_000 }, async () => {
  for (const text of ['hello', 'run: sleep 961', 'silence 30']) {
    await using agent = await start('self-drive')
    agent.prompt(text).catch(() => {})
    await sleep(150)
    agent.process.stdin.end()
    assert.equal(await agent.exited, 0)
    assert.ok(await untilProcessEnded('sleep 961'))
  }
})

for (const mode of ['manual', 'self-drive'] as const) {
  test(`when it is killed, no command of it is left behind (${mode})`, {
    skip: mode === 'manual' && skip,
    timeout: 900_000,
  }, async () => {
    const words = `sleep 97${mode.length}.${process.pid}`
    await using agent = await start(mode)
    agent.prompt(`run: ${words} & ${words}`).catch(() => {})
    while (!running(words)) await sleep(20)
    agent.process.kill('SIGKILL')
    assert.ok(await untilProcessEnded(words))
  })
}

test('a full disk fails the prompt with a reason, and the session is intact', async () => {
  await using agent = await start('self-drive', {}, {}, 'ulimit -f 2')
  await assert.rejects(agent.prompt('x'.repeat(3_000)), /The session could not be saved/)
  assert.equal((await agent.prompt('hello')).stopReason, 'end_turn')
  await agent.agent.request('session/resume', { sessionId: agent.sessionId, cwd: agent.workspace, mcpServers: [] })
  assert.equal((await agent.prompt('hi')).stopReason, 'end_turn')
})

test('an invalid message is answered or skipped, and the agent continues', async () => {
  await using agent = await start('self-drive')
  agent.process.stdin.write('no json\n{"jsonrpc":"2.0","id":"x","method":"no/such"}\n\n')
  assert.equal((await agent.prompt('hello')).stopReason, 'end_turn')
})

test('a wrong setting ends the start with one sentence', async () => {
  for (const [env, words] of [
    [{ SIGNALBOX_MODEL: 'm' }, /SIGNALBOX_BASE_URL must name/],
    [{ SIGNALBOX_CONTEXT_TOKENS: 'many' }, /SIGNALBOX_CONTEXT_TOKENS/],
    [{ SIGNALBOX_INSTRUCTIONS_FILE: '/nonexistent' }, /SIGNALBOX_INSTRUCTIONS_FILE cannot be read/],
  ] as const) {
    const agent = spawn(process.execPath, [program], { env, stdio: ['pipe', 'inherit', 'pipe'] })
    const text = (await agent.stderr.toArray()).join('')
    assert.match(text, words)
    assert.doesNotMatch(text, /\n {4}at /)
  }
})

function running(words: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim() === words
    } catch {
      return false
    }
  })
}

async function untilProcessEnded(words: string): Promise<boolean> {
  return until(() => !running(words))
}
