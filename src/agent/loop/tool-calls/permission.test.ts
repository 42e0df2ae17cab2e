import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { modelWithResponses, newAgent } from '#test/harness/interns/scripted-agent.ts'

const patch = '*** Begin Patch\n*** Add File: secret/a.txt\n+x\n*** End Patch'
const calls = [
  { name: 'apply_patch', arguments: JSON.stringify({ patch }) },
  { name: 'list_files' },
  { name: 'shell', arguments: JSON.stringify({ command: 'touch made' }) },
]
const judges = {
  protocolVersion: 1,
  clientCapabilities: { elicitation: { form: {} }, _meta: { signalbox: { judges: true } } },
}

test('a client with its own rules decides before every tool in self-drive', async () => {
  const { model } = modelWithResponses([calls, 'done'])
  await using at = await newAgent({ model, mode: 'self-drive', permission: () => 'reject_once' })
  await at.agent.request('initialize', judges)
  await at.prompt('go')
  assert.deepEqual(
    at.permissionRequests.map(({ toolCall, _meta }) => [
      toolCall.name,
      toolCall.locations?.map(({ path }) => path),
      _meta,
    ]),
    [
      ['apply_patch', ['secret/a.txt'], { signalbox: { onlyJudged: true } }],
      ['list_files', ['.'], { signalbox: { onlyJudged: true } }],
      ['shell', undefined, { signalbox: { onlyJudged: true } }],
    ],
  )
  for (const path of ['secret/a.txt', 'made']) assert.ok(!existsSync(join(at.workspace, path)), path)
})

test('a client without a policy is not called in self-drive', async () => {
  const { model } = modelWithResponses([calls, 'done'])
  await using at = await newAgent({ model, mode: 'self-drive' })
  await at.prompt('go')
  assert.deepEqual(at.permissionRequests, [])
  for (const path of ['secret/a.txt', 'made']) assert.ok(existsSync(join(at.workspace, path)), path)
})
