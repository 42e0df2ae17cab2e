import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as media from '#test/harness/upstream/media.ts'
import { imageSize } from './image-size.ts'

const { gif, jpeg, png, webp } = media
const size = { width: 300, height: 200 }
const small = { width: 1, height: 1 }

test('the image size is read from the bytes of each format', () => {
  const canvas = media.webpCanvas(300, 200)
  const pictures = [
    png(300, 200),
    gif(300, 200, [small]),
    webp([media.webpLossy(300, 200)]),
    webp([media.webpLossless(300, 200)]),
    webp([canvas, media.webpLossy(300, 200)]),
  ]
  for (const picture of pictures) assert.deepEqual(imageSize(picture), size)
  for (const marker of [0xc0, 0xc1, 0xc2, 0xcf]) assert.deepEqual(imageSize(jpeg([{ ...size, marker }])), size)
})

test('the larger of two declared sizes counts', () => {
  assert.deepEqual(imageSize(gif(1, 1, [size])), size)
  assert.deepEqual(imageSize(gif(1, 1, [{ ...small, x: 299, y: 199 }])), size)
  assert.deepEqual(imageSize(webp([media.webpCanvas(1, 1), media.webpLossy(300, 200)])), size)
  assert.deepEqual(imageSize(webp([media.webpCanvas(300, 1), media.webpLossless(1, 200)])), size)
  assert.deepEqual(imageSize(jpeg([small, size])), size)
  assert.deepEqual(imageSize(jpeg([size, small])), size)
})

test('animations, second headers and late heights give no size', () => {
  const frame = media.webpLossy(300, 200)
  for (const picture of [
    gif(300, 200, [small, small]),
    png(300, 200, [media.pngAnimation()]),
    png(1, 1, [media.pngHeader(300, 200)]),
    webp([media.webpCanvas(300, 200, 2), frame]),
    webp([media.webpCanvas(300, 200), media.webpCanvas(300, 200), frame]),
    jpeg([{ width: 300, height: 0 }]),
  ])
    assert.equal(imageSize(picture), undefined)
})

test('an incomplete or unknown image has no size', () => {
  const whole = [png(300, 200, [], 0), gif(300, 200, []), webp([media.webpCanvas(300, 200)])]
  for (const picture of whole) assert.equal(imageSize(picture.subarray(0, -20)), undefined)
  assert.equal(imageSize(webp([Buffer.from('ABCD\0\0\0\0')])), undefined)
  assert.equal(imageSize(png(0, 200)), undefined)
  assert.equal(imageSize(png(300, 0)), undefined)
  for (const byte of [0, 7, 0x2c, 0xff]) assert.equal(imageSize(Buffer.alloc(40, byte)), undefined)
  for (const marker of [0xc4, 0xc8, 0xcc, 0xbf]) assert.equal(imageSize(jpeg([{ ...size, marker }])), undefined)
})
