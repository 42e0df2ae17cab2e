import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseEncoding } from './accept-encoding.ts'

const cases: [header: string | undefined, encoding: string | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['GZip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', undefined],
  ['gzip, deflate, br', 'br'],
  ['gzip, zstd', 'zstd'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['*, br;q=0', 'zstd'],
  ['br; q=0.1 , zstd ;q=0.2', 'zstd'],
  ['gzip;q=loud', undefined],
]

test('a client gets its preferred encoding, and none it refuses', () => {
  for (const [header, encoding] of cases) assert.equal(chooseEncoding(header), encoding, String(header))
})
