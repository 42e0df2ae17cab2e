import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mp3, mp3Frame, wav, wavData, wavFormat } from '#test/harness/upstream/media.ts'
import { audioSeconds } from './audio-length.ts'

const seconds = (...chunks: Buffer[]) => audioSeconds(wav(chunks), 'wav')

test('the length of a WAV file uses the lowest rate of its header', () => {
  const data = wavData(32_000)
  assert.ok(Math.abs(seconds(wavFormat(), data)! - 1) < 0.01)
  for (const claim of [
    { byteRate: 32 },
    { samples: 16, byteRate: 32_000 },
    { samples: 16, frame: 2000, byteRate: 32_000 },
  ])
    assert.ok(seconds(wavFormat(claim), data)! >= 1000, JSON.stringify(claim))
})

test('declared lengths and all headers of a WAV file count', () => {
  const honest = wavFormat()
  assert.ok(seconds(honest, wavData(100, 32_000_000))! >= 1000)
  assert.ok(seconds(honest, wavFormat({ samples: 2 }), wavData(32_000))! >= 8000)
  assert.ok(seconds(honest, wavData(100), wavFormat({ samples: 2 }), wavData(32_000))! >= 8000)
})

test('a WAV file without a rate or with compression has no length', () => {
  const data = wavData(1000)
  assert.equal(seconds(data, wavFormat()), undefined)
  assert.equal(seconds(data), undefined)
  assert.equal(seconds(wavFormat()), undefined)
  for (const code of [0, 2, 0x11, 0x31, 0x55, 0xfffe]) assert.equal(seconds(wavFormat({ code }), data), undefined)
  for (const claim of [{ samples: 0 }, { channels: 0 }, { byteRate: 0 }, { bits: 0 }])
    assert.equal(seconds(wavFormat(claim), data), undefined)
  assert.equal(audioSeconds(Buffer.alloc(100, 65), 'wav'), undefined)
})

test('the length of an MP3 file is at least the declared one', () => {
  const frames = Array<Buffer>(100).fill(mp3Frame())
  assert.ok(Math.abs(audioSeconds(mp3(frames), 'mp3')! - 7.2) < 0.001)
  const claim = (mark: string) => `${mark}\0\0\0\x01\0\x01\0\0`
  for (const mark of ['Xing', 'Info'])
    assert.ok(audioSeconds(mp3([mp3Frame(claim(mark)), ...frames]), 'mp3')! >= 65_536 * 0.072, mark)
})

test('an MP3 file with a free bit rate or other data has no length', () => {
  const free = mp3Frame('', 0)
  assert.equal(audioSeconds(mp3([free]), 'mp3'), undefined)
  assert.equal(audioSeconds(mp3([mp3Frame(), ...Array<Buffer>(40).fill(free)]), 'mp3'), undefined)
  assert.equal(audioSeconds(mp3([mp3Frame(), Buffer.alloc(5000)]), 'mp3'), undefined)
  for (const head of ['fLaC', 'OggS', '\0\0\0\x20ftypM4A ', '\xff\xf1\x50\x80', '\xff\xfd\x10\xc4', 'RIFF'])
    assert.equal(audioSeconds(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(4000)]), 'mp3'), undefined)
})
