import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { workspaceOf } from '../../../harness/interns/intern-files.ts'
import { type InternReply, runningIntern, say, trySay } from '../../../harness/interns/interns.ts'
import { startTestService } from '../../../harness/service/service.ts'

const script = fileURLToPath(new URL('../../../../bin/scripted-agent.ts', import.meta.url))
const agentWith = (...words: string[]) => ({ command: process.execPath, args: [script, 'load', ...words], env: {} })
const settings = { agents: { all: agentWith('image', 'audio', 'embedded'), plain: agentWith() } }

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}`, detail: 'low' } }
const audio = { type: 'input_audio', input_audio: { data: base64('RIFF'), format: 'wav' } }
const file = (filename: string, content: string | Buffer, type = 'text/plain') => ({
  type: 'file',
  file: { filename, file_data: `data:${type};base64,${base64(content)}` },
})

async function setUp(agent: string | undefined) {
  const service = await startTestService({ settings })
  const { id } = await runningIntern(service, agent ? { agent } : {})
  const send = (...parts: object[]): Promise<InternReply> => {
    const content = [{ type: 'text', text: 'blocks' }, ...parts] as unknown as string
    return trySay(service, id, content)
  }
  const blocks = async (...parts: object[]) => JSON.parse((await send(...parts)).text)
  return { service, id, send, blocks, workspace: workspaceOf(service, id) }
}

test('images, sound and files reach an agent that takes them as blocks of the protocol', async () => {
  const at = await setUp('all')
  await using _ = at.service
  const uri = `file://${at.workspace}/attachments/notes.txt`
  assert.deepEqual(await at.blocks(image, audio, file('notes.txt', 'Hello')), [
    { type: 'image', data: pixel, mimeType: 'image/png' },
    { type: 'audio', data: base64('RIFF'), mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Hello' } },
  ])
})

test('a file is in the workspace and linked, for every agent; one of its name stays', async () => {
  const at = await setUp('plain')
  await using _ = at.service
  const pdf = Buffer.from([0x25, 0x50, 0x44, 0x46, 0, 0xff])
  const [first] = await at.blocks(file('a/../b.pdf', pdf, 'application/pdf'))
  const uri = `file://${at.workspace}/attachments/b.pdf`
  assert.deepEqual(first, {
    ...{ type: 'resource_link', name: 'attachments/b.pdf', uri, mimeType: 'application/pdf', size: 6 },
  })
  assert.ok(readFileSync(join(at.workspace, 'attachments/b.pdf')).equals(pdf))
  assert.match((await at.blocks(file('b.pdf', 'other')))[0].uri, /attachments\/b-2\.pdf$/)
  assert.deepEqual(readdirSync(join(at.workspace, 'attachments')), ['b-2.pdf', 'b.pdf'])
})

test('an unsupported attachment is refused by part, with the supported types', async () => {
  const at = await setUp('plain')
  await using _ = at.service
  for (const [part, type] of [
    [image, 'image/png'],
    [audio, 'audio/wav'],
  ] as const) {
    const { status, error } = await at.send(file('notes.txt', 'Hello'), part)
    assert.deepEqual([status, error?.metadata?.reason], [400, 'bad_request'])
    assert.match(error!.message, new RegExp(`content\\[2\\] of the last message is ${type}.*it accepts text, files`))
  }
  assert.ok(!existsSync(join(at.workspace, 'attachments')))
})

test('a malformed part is refused with its position', async () => {
  const at = await setUp('all')
  await using _ = at.service
  const refusal = async (part: object) => {
    const { status, error } = await at.send(part)
    return `${status} ${error?.message}`
  }
  const url = (url: string) => ({ type: 'image_url', image_url: { url } })
  assert.match(
    await refusal(url('https://example.com/a.png')),
    /^400 .*content\[1\].*must be a data URL.*do not fetch images/,
  )
  assert.match(await refusal(url('data:image/png;base64,%%%')), /^400 .*content\[1\].*not valid base64/)
  assert.match(await refusal(url('data:text/html;base64,SGk=')), /^400 .*text\/html, which is not an image/)
  assert.match(await refusal({ type: 'file', file: { file_id: 'file-1' } }), /^400 .*file_data must be a data URL/)
  assert.match(await refusal({ type: 'file', file: { file_data: 'SGk=' } }), /^400 .*must be a data URL/)
  assert.match(await refusal({ type: 'video', video: {} }), /^400 /)
})

test('a prompt can be an image alone, and the transcript lists attachments', async () => {
  const at = await setUp('all')
  await using _ = at.service
  const { status, sessionId } = await say(at.service, at.id, [image] as unknown as string)
  assert.equal(status, 200)
  const { data } = (await at.service.ask('GET', `/interns/${at.id}/sessions/${sessionId}`)).body
  assert.equal(data.entries[0].text, '[image: image/png, 70 bytes]')
})

test('guardrails read the text of files as they read the prompt', async () => {
  const at = await setUp('all')
  await using _ = at.service
  const rule = { name: 'no secrets', content_filters: [{ pattern: 'sesame\\d+', action: 'redact', label: 'word' }] }
  const { body } = await at.service.manage('POST', '/guardrails', rule)
  const { data: keys } = (await at.service.manage('GET', '/keys')).body
  const key_hashes = keys.map(({ hash }: { hash: string }) => hash)
  const assigned = await at.service.manage('POST', `/guardrails/${body.data.id}/assignments/keys`, { key_hashes })
  assert.equal(assigned.status, 200, assigned.text)
  const [block] = await at.blocks(file('notes.txt', 'open sesame42 now'))
  assert.doesNotMatch(block.resource.text, /sesame42/)
  assert.match(block.resource.text, /^open .* now$/)
})

test('the builtin agent reports that its model does not support images', async () => {
  const at = await setUp(undefined)
  await using _ = at.service
  const { status, error } = await at.send(image)
  assert.equal(status, 400)
  assert.match(error!.message, /the model \S+ takes no images/)
})
