import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataUrl, png, wav, wavData, wavFormat } from '#test/harness/upstream/media.ts'
import { getRequestMedia } from './requested-media.ts'

const withFile = (file: object) => getRequestMedia({ messages: [{ role: 'user', content: [{ type: 'file', file }] }] })

test('a file may be audio unless its bytes are text, an image or a PDF', () => {
  const unknown = 'data:application/octet-stream;base64,AAAAAAAA.pdf'
  const pdf = Buffer.from('%PDF-1.4')
  const sound = wav([wavFormat(), wavData(100)])
  assert.equal(withFile({ file_data: unknown }).hasUnknownFiles, true)
  for (const type of ['application/pdf', 'text/plain', 'image/png']) {
    assert.equal(withFile({ file_data: dataUrl(type, sound) }).hasUnknownFiles, true, type)
    assert.equal(withFile({ filename: 'a.pdf', file_data: dataUrl(type, sound) }).hasUnknownFiles, true, type)
    assert.equal(withFile({ file_data: dataUrl(type, pdf) }).hasUnknownFiles, false, type)
  }
  assert.equal(withFile({ file_data: dataUrl('text/plain', Buffer.from('Hi')) }).hasUnknownFiles, false)
  assert.equal(withFile({ file_data: dataUrl('image/png', png(1, 1)) }).hasUnknownFiles, false)
  assert.equal(withFile({ file_data: 'https://files.example/a/long/way/to/the/talk.pdf' }).hasUnknownFiles, false)
})
