import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUpTools } from '#test/harness/interns/tools.ts'
import { detectImageType, maxImageBytes } from './images.ts'

test('detectImageType detects the types that models accept by their first bytes', () => {
  const files = { 'image/png': '\x89PNG\r\n\x1a\n', 'image/jpeg': '\xff\xd8\xff\xe0', 'image/gif': 'GIF89a' }
  for (const [type, start] of Object.entries({ ...files, 'image/webp': 'RIFF\n\0\0\0WEBPVP8 ' }))
    assert.equal(detectImageType(Buffer.from(start, 'latin1')), type)
  for (const start of ['', 'GIF', 'RIFF1234WAVE', '<svg/>'])
    assert.equal(detectImageType(Buffer.from(start)), undefined)
})

test('read_file refuses an image that is larger than providers accept', async () => {
  const large = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(maxImageBytes)])
  await using at = await setUpTools({ 'large.gif': large })
  await assert.rejects(at.use('read_file', { path: 'large.gif' }), /an image of 3145734 bytes; at most 3145728/)
})
