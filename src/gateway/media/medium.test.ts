import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { dataUrl, gif, mp3, mp3Frame, png, wav, wavData, wavFormat } from '#test/harness/upstream/media.ts'
import { promptBound } from '../admission/bounds/prompt-bound.ts'

const contextLength = 1_000_000
const bound = (part: object) =>
  promptBound({ messages: [{ role: 'user', content: [part] }] }, endpointFor('any-other', { contextLength })).tokens
const image = (type: string, bytes: Buffer) => ({ type: 'image_url', image_url: { url: dataUrl(type, bytes) } })
const file = (type: string, bytes: Buffer) => ({ type: 'file', file: { file_data: dataUrl(type, bytes) } })
const sound = (format: string, bytes: Buffer) => ({
  type: 'input_audio',
  input_audio: { format, data: bytes.toString('base64') },
})
const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Page >>\nendobj\n')
const second = wav([wavFormat(), wavData(32_000)])

test('an image counts by its bytes, whatever its declared type', () => {
  const [large, small] = [png(4096, 4096), png(10, 10)]
  for (const type of ['image/png', 'image/gif', 'text/plain', 'application/json', '']) {
    assert.ok(bound(image(type, large)) > 80_000, type)
    assert.ok(bound(image(type, small)) < 5000, type)
  }
  assert.ok(bound(image('image/gif', gif(1, 1, [{ width: 4096, height: 4096 }]))) > 80_000)
})

test('an invalid image counts as its text', () => {
  const avif = Buffer.from('\0\0\0\x1cftypavif')
  const sequence = Buffer.from('\0\0\0\x1cftypmsf1')
  const polyglot = Buffer.concat([gif(1, 1, [{ width: 1, height: 1 }]), pdf])
  const heads = [pdf, second, avif, sequence, polyglot, Buffer.from('<svg height="9"/>'), Buffer.from('words')]
  for (const bytes of heads) {
    assert.equal(bound(image('image/png', bytes)), contextLength)
    assert.equal(bound(image('text/plain', bytes)), contextLength)
  }
})

test('ambiguous base64 counts as the context', () => {
  const data = png(10, 10).toString('base64')
  const split = `${data.slice(0, 60)}\r\n${data.slice(60)}`
  const url = (base64: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } })
  assert.ok(bound(url(split)) < 5000)
  for (const odd of [`${data.slice(0, 80)}-${data.slice(80)}`, `${data.slice(0, 80)}!${data.slice(80)}`, `AA==${data}`])
    assert.equal(bound(url(odd)), contextLength)
})

test('a file declared as text counts as text only if its bytes are text', () => {
  const words = Buffer.from('Ein Satz, größer als nichts. '.repeat(100))
  assert.ok(bound(file('text/plain', words)) < 10_000)
  assert.ok(bound({ type: 'file', file: { file_data: 'data:text/plain,100% of%20it' } }) < 2000)
  const rich = Buffer.from('{\\rtf1 {\\pict}}')
  for (const bytes of [pdf, png(10, 10), second, rich, Buffer.from([0xff, 0xfe, 0x41, 0])])
    assert.equal(bound(file('text/plain', bytes)), contextLength)
  assert.equal(bound({ type: 'file', file: { file_data: 'data:text/plain,%25PDF-1.4' } }), contextLength)
})

test('a document counts as the context, however few pages it declares', () => {
  const counted = Buffer.from('%PDF-1.4\n<< /Type /Pages /Count 1 >>\n')
  assert.equal(bound(file('application/pdf', counted)), contextLength)
  const source = { type: 'base64', media_type: 'application/pdf', data: counted.toString('base64') }
  assert.equal(bound({ type: 'document', source }), contextLength)
})

test('audio counts by its bytes and rate, in other formats as the context', () => {
  const slow = wav([wavFormat({ samples: 2 }), wavData(7200)])
  assert.ok(bound(sound('wav', second)) < 5000)
  assert.ok(bound(sound('wav', slow)) > 57_600)
  assert.ok(bound(file('audio/wav', slow)) > 57_600)
  const song = mp3(Array<Buffer>(100).fill(mp3Frame()))
  assert.ok(bound(sound('mp3', song)) < 3000)
  const forms: [string, Buffer][] = [
    ['mp3', second],
    ['wav', song],
    ['wav', png(1, 1)],
    ['pcm16', second],
    ['flac', second],
    ['ogg', second],
  ]
  for (const [format, bytes] of forms) {
    assert.equal(bound(sound(format, bytes)), contextLength, format)
    assert.equal(bound(file(`audio/${format}`, bytes)), contextLength, format)
  }
})
