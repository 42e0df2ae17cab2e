import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseHost, type LoadedHost } from './choose-host.ts'

const host = (name: string, interns: number, more: Partial<LoadedHost> = {}): LoadedHost => ({
  name,
  interns,
  address: null,
  storagePort: null,
  labels: [],
  capacity: 0,
  loss: null,
  ...more,
})
const loss = { reason: 'gone', since: 1 }

for (const [what, hosts, requirements, expected] of [
  ['the one with the fewest', [host('a', 3), host('b', 1), host('c', 2)], [], { host: 'b' }],
  ['of equals the first by name', [host('b', 1), host('a', 1)], [], { host: 'a' }],
  [
    'the one with the smaller part in use',
    [host('a', 5, { capacity: 10 }), host('b', 6, { capacity: 20 })],
    [],
    { host: 'b' },
  ],
  ['one without a capacity as one of 100', [host('a', 2), host('b', 1, { capacity: 10 })], [], { host: 'a' }],
  ['none that is loss', [host('a', 0, { loss }), host('b', 9)], [], { host: 'b' }],
  ['none that is full', [host('a', 1, { capacity: 1 }), host('b', 99, { capacity: 100 })], [], { host: 'b' }],
  [
    'one that has all that is wanted',
    [host('a', 0, { labels: ['x'] }), host('b', 5, { labels: ['y', 'x'] })],
    ['x', 'y'],
    { host: 'b' },
  ],
  ['none without hosts', [host('a', 0, { loss })], [], { reason: 'No host for interns is available.' }],
  ['none without the label', [host('a', 0)], ['x'], { reason: 'No available host has all labels x.' }],
  [
    'none where all are full',
    [host('a', 2, { capacity: 2, labels: ['x'] }), host('b', 0)],
    ['x'],
    { reason: 'No host has capacity for another intern: a has 2 of 2.' },
  ],
] as [string, LoadedHost[], string[], object][]) {
  test(`a new intern gets ${what}`, () => assert.deepEqual(chooseHost(hosts, requirements), expected))
}
