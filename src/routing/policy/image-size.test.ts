import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageSize } from './image-size.ts'

const size = { width: 300, height: 200 }
const words = (...numbers: number[]) => Buffer.from(numbers.flatMap((number) => [number >> 8, number & 0xff]))

function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(24)
  head.writeUInt32BE(0x89504e47, 0)
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}

function gif(): Buffer {
  const head = Buffer.alloc(10)
  head.write('GIF89a', 'latin1')
  head.writeUInt16LE(300, 6)
  head.writeUInt16LE(200, 8)
  return head
}

function webp(chunk: string, write: (head: Buffer) => void): Buffer {
  const head = Buffer.alloc(30)
  head.write('RIFF____WEBP', 'latin1')
  head.write(chunk, 12, 'latin1')
  write(head)
  return head
}

/** An application segment of eight bytes before the frame, as cameras write it. */
const jpeg = (marker: number) =>
  Buffer.concat([words(0xffd8, 0xffe0, 8, 0, 0, 0, 0xff00 | marker, 17), Buffer.from([8]), words(200, 300, 0)])

test('the size of a picture is read from its first bytes, in each format', () => {
  const frames = [
    webp('VP8 ', (head) => {
      head.writeUInt16LE(0x4000 | 300, 26)
      head.writeUInt16LE(0x8000 | 200, 28)
    }),
    webp('VP8L', (head) => head.writeUInt32LE(299 | (199 << 14), 21)),
    webp('VP8X', (head) => {
      head.writeUIntLE(299, 24, 3)
      head.writeUIntLE(199, 27, 3)
    }),
  ]
  for (const head of [png(300, 200), gif(), ...frames]) assert.deepEqual(imageSize(head), size)
  for (const marker of [0xc0, 0xc1, 0xc2, 0xcf]) assert.deepEqual(imageSize(jpeg(marker)), size)
})

test('what is no picture, is cut short or says no size has none', () => {
  const whole = [png(300, 200), gif(), webp('VP8X', () => {})]
  for (const head of whole) assert.equal(imageSize(head.subarray(0, -1)), undefined)
  assert.equal(imageSize(webp('ABCD', () => {})), undefined)
  assert.equal(imageSize(png(0, 200)), undefined)
  assert.equal(imageSize(png(300, 0)), undefined)
  assert.equal(imageSize(Buffer.alloc(40, 7)), undefined)
  for (const marker of [0xc4, 0xc8, 0xcc, 0xd0, 0xbf]) assert.equal(imageSize(jpeg(marker)), undefined)
})
