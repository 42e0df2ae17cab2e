import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { missingSandbox, modelWithResponses, newAgent, realShell } from '#test/harness/interns/scripted-agent.ts'
import { timed, until } from '#test/harness/until.ts'

const missing = await realShell().sandboxError('/tmp')
if (missing) console.log(`What needs a sandbox is NOT tried, because there is none: ${missing}`)
const skip = missing ?? false
const haiku = 'List the files and write a haiku about them into haiku.txt'

test('a prompt is answered with text, usage and the model’s name', async () => {
  await using at = await newAgent()
  const response = await at.prompt('hello there')
  assert.equal(response.stopReason, 'end_turn')
  assert.equal(at.text(), 'You said: hello there')
  const { usage } = response as unknown as { usage: Record<string, number> }
  assert.equal(usage.totalTokens, usage.inputTokens! + usage.outputTokens!)
  assert.equal(at.session.configOptions?.[0]?.category, 'model')
  assert.equal(at.updates.at(-1)?.sessionUpdate, 'usage_update')
})

test('changed instructions are sent to the model with the next prompt', async () => {
  const { model, requests } = modelWithResponses(['one', 'two'])
  let message = 'Be brief.'
  const settings = { model: 'm', instructions: () => message, maxSteps: 5 }
  await using at = await newAgent({ model, settings })
  await at.prompt('first')
  message = 'Be kind.'
  await at.prompt('second')
  const [first, second] = requests.map(({ messages }) => messages[0]?.text ?? '')
  assert.match(first ?? '', /Be brief\.$/)
  assert.match(second ?? '', /Be kind\.$/)
})

test('read_file shows an image to a model that takes images, and names it to others', async () => {
  const data = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')
  for (const takesImages of [true, false]) {
    const { model, requests } = modelWithResponses([[{ name: 'read_file', arguments: '{"path":"a.bin"}' }], 'seen'])
    await using at = await newAgent({ model, checkImageInput: async () => takesImages })
    await writeFile(join(at.workspace, 'a.bin'), data)
    await at.prompt('look')
    const result = requests[1]?.messages.at(-1)
    assert.match(result?.text ?? '', /^\[a\.bin: image\/png, 12 bytes\]/)
    const images = result?.role === 'tool' ? result.images : undefined
    assert.deepEqual(images, takesImages ? [{ mimeType: 'image/png', data: data.toString('base64') }] : undefined)
  }
})

test('the output of a command is reported while it runs', async () => {
  const command = 'echo one; until [ -e go ]; do sleep 0.1; done; echo two'
  const { model } = modelWithResponses([[{ name: 'shell', arguments: JSON.stringify({ command }) }], 'done'])
  await using at = await newAgent({ model, mode: 'self-drive' })
  const turn = at.prompt('go')
  const running = await until(() =>
    at.updates.find((each) => each.sessionUpdate === 'tool_call_update' && each.content !== undefined),
  )
  assert.ok(running.sessionUpdate === 'tool_call_update')
  const content = [{ type: 'content', content: { type: 'text', text: 'one\n' } }]
  assert.deepEqual([running.status, running.content], ['in_progress', content])
  await writeFile(join(at.workspace, 'go'), '')
  await turn
  assert.match(at.results()[0] ?? '', /^one\ntwo\n/)
})

test('images of a prompt reach a model that supports them, and are refused otherwise', async () => {
  const image = { type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png' } as const
  const { model, requests } = modelWithResponses(['a cat', 'none'])
  await using seeing = await newAgent({ model, checkImageInput: async () => true })
  await seeing.prompt('what is it?', image)
  const images = [{ mimeType: 'image/png', data: 'aW1hZ2U=' }]
  assert.deepEqual(requests[0]?.messages.at(-1), { role: 'user', text: 'what is it?', images })
  await using blind = await newAgent({ model, checkImageInput: async () => false })
  await assert.rejects(blind.prompt('what is it?', image), /takes no images/)
  assert.equal(requests.length, 1)
})

test("an agent's reminder to its model appears neither in the turn nor in the replay", async () => {
  await using at = await newAgent({ mode: 'self-drive' })
  await writeFile(join(at.workspace, 'AGENTS.md'), 'Run make test.')
  await at.prompt('write notes.txt: hi')
  await at.agent.request('session/load', { sessionId: at.sessionId, cwd: at.workspace, mcpServers: [] })
  assert.doesNotMatch(JSON.stringify(at.updates), /system-reminder/)
  assert.equal(at.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk').length, 1)
  const [stored] = await readdir(at.stateDir)
  assert.match(await readFile(join(at.stateDir, stored!), 'utf8'), /system-reminder/)
})

test('reasoning is reported separately from the answer', async () => {
  await using at = await newAgent()
  await at.prompt('think about it')
  assert.ok(at.updates.some(({ sessionUpdate }) => sessionUpdate === 'agent_thought_chunk'))
  assert.doesNotMatch(at.text(), /weigh/)
})

test('a new session starts in the mode that asks', async () => {
  await using at = await newAgent()
  assert.equal(at.session.modes?.currentModeId, 'manual')
  assert.deepEqual(
    at.session.modes?.availableModes.map(({ id }) => id),
    ['manual', 'self-drive'],
  )
})

describe('in manual', { skip }, () => {
  test('the demo prompt asks for the shell, writes the haiku and reports it', async () => {
    await using at = await newAgent()
    await at.prompt(haiku)
    assert.deepEqual(at.operations(), ['shell'])
    assert.deepEqual(
      at.permissionRequests[0]?.options.map(({ kind }) => kind),
      ['allow_once', 'allow_always', 'reject_once', 'reject_always'],
    )
    assert.match(await readFile(join(at.workspace, 'haiku.txt'), 'utf8'), /Names in a column/)
    assert.match(at.text(), /first\.\n\nNow the haiku\.\n\nDone\. Made haiku\.txt/)
  })

  test('without consent the command is not run, and the run continues', async () => {
    for (const answer of ['reject_once', 'reject_always', undefined]) {
      await using at = await newAgent({ permission: () => answer })
      const { stopReason } = await at.prompt('run: touch made')
      assert.equal(stopReason, 'end_turn')
      assert.match(at.text(), /did not allow/)
      assert.deepEqual(await readdir(at.workspace), [])
    }
  })

  test('allow_once asks again; allow_always and reject_always last for the session', async () => {
    for (const [answer, times] of [
      ['allow_once', 3],
      ['allow_always', 1],
      ['reject_always', 1],
    ] as const) {
      await using at = await newAgent({ permission: () => answer })
      await at.prompt('run `true` and `true`')
      await at.agent.request('session/resume', { sessionId: at.sessionId, cwd: at.workspace, mcpServers: [] })
      await at.prompt('run: true')
      assert.equal(at.permissionRequests.length, times)
    }
  })

  test('leaving the sandbox needs a separate permission with command and reason', async () => {
    await using at = await newAgent({
      permission: ({ toolCall }) => (toolCall.name === 'shell' ? 'allow_always' : 'reject_once'),
    })
    await at.prompt('escalate')
    assert.deepEqual(at.operations(), ['shell', 'shell.escalate'])
    assert.match(
      at.permissionRequests[1]?.toolCall.title ?? '',
      /Outside the sandbox: cat \/etc\/hostname \(The file is outside/,
    )
    assert.match(at.text(), /So I leave it/)
  })

  test('after a lasting rejection of the shell, escalation is not offered', async () => {
    await using at = await newAgent({ permission: () => 'reject_always' })
    await at.prompt('escalate')
    assert.deepEqual(at.operations(), ['shell'])
  })

  test('a user who allows the escalation lets the command leave the sandbox', async () => {
    await using at = await newAgent()
    await at.prompt('escalate')
    const [inside, outside] = at.results()
    assert.match(inside ?? '', /No such file/)
    assert.match(outside ?? '', /exit code 0/)
  })
})

test('self-drive asks no question and runs the shell outside the sandbox', async () => {
  await using at = await newAgent({ mode: 'self-drive' })
  await at.prompt('run: cat /etc/hostname; echo $SIGNALBOX_API_KEY-')
  assert.equal(at.permissionRequests.length, 0)
  assert.match(at.results()[0] ?? '', /\n-\n\[exit code 0\]/)
})

test('the mode of a prompt is the one set before it', async () => {
  await using at = await newAgent({ mode: 'self-drive', permission: () => 'reject_once' })
  await at.prompt('run: true')
  await at.agent.request('session/set_mode', { sessionId: at.sessionId, modeId: 'manual' })
  await at.prompt('run: true')
  assert.equal(at.permissionRequests.length, 1)
})

test('without a sandbox the demo asks, explains the refusal and continues', async () => {
  await using at = await newAgent({ shell: realShell({}, missingSandbox) })
  await at.prompt(haiku)
  assert.match(
    at.permissionRequests[0]?.toolCall.title ?? '',
    /^The sandbox is not available, so this is not run even if/,
  )
  assert.match(at.text(), /the sandbox is not available, and commands are not run without it.*Made haiku\.txt/s)
})

test('a question becomes a form, also in self-drive, and its answer resumes the turn', async () => {
  const form = { environment: 'staging', replicas: 3, confirmed: true, regions: ['eu'] }
  await using at = await newAgent({ mode: 'self-drive', form })
  await at.prompt('ask me a question')
  const [{ requestedSchema }] = at.forms as [{ requestedSchema: { properties: Record<string, { type: string }> } }]
  const types = Object.values(requestedSchema.properties).map(({ type }) => type)
  assert.deepEqual([...new Set(types)].sort(), ['array', 'boolean', 'integer', 'number', 'string'])
  assert.match(at.text(), /"replicas":3/)
})

test('a declined question continues the turn without an answer', async () => {
  await using at = await newAgent()
  assert.equal((await at.prompt('ask me a question')).stopReason, 'end_turn')
  assert.match(at.text(), /declined/)
})

test('parallel calls all return a result', async () => {
  await using at = await newAgent()
  await writeFile(join(at.workspace, 'a.txt'), 'on the way\n')
  await at.prompt('parallel')
  assert.match(at.text(), /3 results:\na\.txt\n---\na\.txt\n---\na\.txt:1: on the way/)
})

test('a failing model ends the prompt with an error that says whether to retry', async () => {
  await using at = await newAgent()
  await assert.rejects(at.prompt('error 400'), {
    message: /fails as it was asked/,
    data: { retryable: false, status: 400 },
  })
  await assert.rejects(at.prompt('error 503 late'), { data: { retryable: true, status: 503 } })
  assert.equal((await at.prompt('hello')).stopReason, 'end_turn')
})

describe('cancelling', () => {
  for (const [what, text] of [
    ['a silent model', 'silence 30'],
    ['a command', 'run: sleep 30'],
    ['a flood', 'flood 100000'],
  ] as const) {
    test(`ends ${what} at once`, { timeout: 600_000 }, async () => {
      await using at = await newAgent({ mode: 'self-drive' })
      const turn = at.prompt(text)
      await sleep(100)
      const { tookMs, allowedMs } = await timed(1000, async () => {
        await at.cancel()
        assert.equal((await turn).stopReason, 'cancelled')
      })
      assert.ok(tookMs < allowedMs, `it took ${tookMs} ms`)
    })
  }

  test('withdraws a permission that waits', { timeout: 600_000, skip }, async () => {
    const { promise: withdrawn, resolve } = Promise.withResolvers<void>()
    await using at = await newAgent({
      permission: (_request, signal) => {
        signal.addEventListener('abort', () => resolve())
        return new Promise(() => {})
      },
    })
    const turn = at.prompt('run: true')
    while (!at.permissionRequests.length) await sleep(5)
    await at.cancel()
    assert.equal((await turn).stopReason, 'cancelled')
    await withdrawn
  })
})

test('a session is busy with one prompt at a time', async () => {
  await using at = await newAgent()
  const first = at.prompt('silence 1')
  await assert.rejects(at.prompt('hello'), { message: /busy/ })
  await first
})

test('closing a session ends its turn and keeps the messages', { timeout: 600_000 }, async () => {
  await using at = await newAgent()
  const turn = at.prompt('stream 1000 5')
  while (!at.text()) await sleep(5)
  await at.agent.request('session/close', { sessionId: at.sessionId })
  assert.equal((await turn).stopReason, 'cancelled')
  await at.agent.request('session/load', { sessionId: at.sessionId, cwd: at.workspace, mcpServers: [] })
  assert.match(at.text(), /piece-1 .*piece-1 /)
})

test('a loaded session shows its past again, and the model remembers it', async () => {
  const { model, requests } = modelWithResponses([[{ name: 'list_files' }], 'listed', 'again'])
  await using at = await newAgent({ model })
  await at.prompt('first')
  at.updates.length = 0
  await at.agent.request('session/load', { sessionId: at.sessionId, cwd: at.workspace, mcpServers: [] })
  assert.deepEqual(
    at.updates.map(({ sessionUpdate }) => sessionUpdate),
    ['user_message_chunk', 'tool_call', 'tool_call_update', 'agent_message_chunk'],
  )
  await at.prompt('second')
  assert.deepEqual(
    requests.at(-1)?.messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool', 'assistant', 'user'],
  )
})

test('sessions are listed, and unknown ones are not found', async () => {
  await using at = await newAgent()
  await at.prompt('hello')
  const { sessions } = await at.agent.request('session/list', {})
  assert.deepEqual(
    sessions.map(({ sessionId, title }) => [sessionId, title]),
    [[at.sessionId, 'hello']],
  )
  const unknown = { sessionId: 'nosuch', cwd: at.workspace, mcpServers: [] }
  await assert.rejects(at.agent.request('session/resume', unknown), { code: -32002 })
  await assert.rejects(at.agent.request('session/new', { cwd: '/', mcpServers: [] }), { message: /whole file system/ })
  await assert.rejects(at.agent.request('session/new', { cwd: '/nonexistent', mcpServers: [] }), {
    message: /not a folder/,
  })
})
