import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { jobsOf, longerRuns, longest, longRuns, selectFiles } from './jobs.ts'

const files = [
  'src/chat/usage.test.ts',
  'src/chat/demo/reply.test.ts',
  'console/parts/table.test.ts',
  'test/identity/cors.test.ts',
  'test/console/access/keys.test.ts',
  'test/slow/processes/crash.test.ts',
  'test/slow/docs.test.ts',
  'test/optional/image.test.ts',
]
const select = (all: boolean, skipQuick: boolean, ...words: string[]) =>
  selectFiles(files, { all, long: false, skipQuick, words })

test('npm test selects the files beside the code and the quick ones of test/', () => {
  assert.deepEqual(select(false, false), files.slice(0, 4))
})

test('test:all selects every file that has no own npm script', () => {
  assert.deepEqual(select(true, false), files.slice(0, 7))
  assert.deepEqual(select(true, true), files.slice(4, 7))
})

test('long runs are selected by their own option alone', () => {
  const all = ['src/chat/usage.test.ts', ...longRuns]
  assert.deepEqual(selectFiles(all, { all: true, long: false, skipQuick: false, words: [] }), all.slice(0, 1))
  assert.deepEqual(selectFiles(all, { all: false, long: true, skipQuick: false, words: [] }), longRuns)
})

test('files that are repeated more often in long runs are selected by both', () => {
  const repeated = Object.keys(longerRuns)
  assert.deepEqual(selectFiles(repeated, { all: true, long: false, skipQuick: false, words: [] }), repeated)
  assert.deepEqual(selectFiles(repeated, { all: false, long: true, skipQuick: false, words: [] }), repeated)
})

test('a part of a path selects files from every folder', () => {
  assert.deepEqual(select(false, false, 'image', 'crash'), [
    'test/slow/processes/crash.test.ts',
    'test/optional/image.test.ts',
  ])
})

test('jobs start with the longest files and run each room in one process', () => {
  const quick = ['test/identity/roles.test.ts', 'test/architecture.test.ts', 'test/interns/intern-files-attack.test.ts']
  assert.deepEqual(
    jobsOf([...select(true, false), ...quick]).map((job) => [job.name, job.files.length]),
    [
      ['test/slow/processes/crash.test.ts', 1],
      ['test/slow/docs.test.ts', 1],
      ['src/chat', 2],
      ['test/identity', 2],
      ['console', 1],
      ['test', 1],
      ['test/console/access/keys.test.ts', 1],
      ['test/interns/intern-files-attack.test.ts', 1],
    ],
  )
})

test('every listed file exists', () => {
  assert.deepEqual(
    [...longest, ...longRuns, ...Object.keys(longerRuns)].filter((file) => globSync(file).length === 0),
    [],
  )
})
