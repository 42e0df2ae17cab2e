import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correctDataUrl, inlineDataRepair, isTextType } from './media-types.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'
const pdf = Buffer.from('%PDF-1.7 and more than sixteen bytes').toString('base64')
const webp = Buffer.from('RIFF0000WEBPVP8 and more').toString('base64')

test('the media type of an image follows from its content', () => {
  for (const type of ['image/jpeg', 'image/jpg', 'application/octet-stream', ''])
    assert.equal(correctDataUrl(`data:${type};base64,${png}`), `data:image/png;base64,${png}`, type)
  assert.equal(correctDataUrl(`data:;base64,${webp}`), `data:image/webp;base64,${webp}`)
  assert.equal(correctDataUrl(`data:;base64,${pdf}`), `data:application/pdf;base64,${pdf}`)
})

test('base64 alone becomes a data URL, without line breaks', () => {
  assert.equal(correctDataUrl(png), `data:image/png;base64,${png}`)
  const broken = `${png.slice(0, 20)}\n${png.slice(20)}\n`
  assert.equal(
    correctDataUrl(`data:image/png;charset=utf-8;base64,${broken}`),
    `data:image/png;charset=utf-8;base64,${png}`,
  )
})

test('other addresses and right data URLs stay', () => {
  for (const url of [
    'https://example.com/a.png',
    'gs://bucket/a.png',
    'file_abcdefghijklmnopqrstuvwxyz',
    `data:image/png;base64,${png}`,
    'data:text/plain,Hello, you',
    'data:audio/wav;base64,UklGRgAA',
    'data:image/svg+xml;base64,PHN2Zz4=',
  ])
    assert.equal(correctDataUrl(url), url)
})

test('inline data gets the type of its content', () => {
  const repair = inlineDataRepair([['parts', '*', 'inline']], 'mimeType')
  const body = { parts: [{ inline: { mimeType: 'image/JPG', data: png } }, { text: 'Hi' }] }
  assert.deepEqual(repair(body, []), { parts: [{ inline: { mimeType: 'image/png', data: png } }, { text: 'Hi' }] })
  const right = { parts: [{ inline: { mimeType: 'image/png', data: png } }] }
  assert.equal(repair(right, []), right)
})

test('files of text are recognized by their type', () => {
  for (const type of ['text/csv', 'application/json', 'application/ld+json', 'application/xml'])
    assert.ok(isTextType(type))
  for (const type of ['application/pdf', 'image/png', 'application/zip']) assert.ok(!isTextType(type))
})
