import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startDaemonProcess, token } from '../harness/interns/daemon.ts'
import { departures, leaveRequest, openFiles, phases, type RawRequest } from '../harness/service/load/left-requests.ts'
import { until } from '../harness/until.ts'

const json = (value: object) => Buffer.from(JSON.stringify(value))
const nothing = Buffer.alloc(0)
const turn = json({ mode: 'manual', prompt: 'say hi\nstream 200 5' })

/** One request for each operation of the daemon. */
const operations: [method: string, path: string, body: Buffer][] = [
  ['GET', '/health', nothing],
  ['POST', '/rest', json({ idleMs: 600_000 })],
  ['POST', '/turns', turn],
  ['POST', '/answers', json({ sessionId: 's', questionId: 'q', answer: 'allow_once' })],
  ['DELETE', '/runs/none', nothing],
  ['GET', '/sessions', nothing],
  ['GET', '/sessions/none', nothing],
  ['GET', '/sessions/none/events?after=0', nothing],
  ['GET', '/milestones?after=0', nothing],
  ['GET', '/files/list?path=', nothing],
  ['PUT', '/files/content?path=left&replace=true', Buffer.alloc(2_000_000)],
  ['GET', '/files/content?path=left', nothing],
  ['DELETE', '/files/content?path=none', nothing],
  ['POST', '/files/folder?path=folder', nothing],
  ['POST', '/files/rename?path=none&to=other', nothing],
  ['GET', '/files/archive?path=', nothing],
  ['PUT', '/files/archive?path=', Buffer.alloc(2_000_000)],
  ['GET', '/questions/none', nothing],
  ['PUT', '/rules', json({ rules: [] })],
  ['GET', '/decisions?after=0', nothing],
  ['GET', '/nothing', nothing],
]

test('clients that leave the daemon at any phase leave nothing behind', { timeout: 900_000 }, async () => {
  await using daemon = await startDaemonProcess()
  const leave = async (phase: number, way: number) => {
    for (const [method, path, body] of operations) {
      const request: RawRequest = {
        ...{ name: `${method} ${path}`, method, target: `/v1${path}`, body },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      }
      await leaveRequest(connect(daemon.socketPath), request, phases[phase]!, departures[way]!)
      assert.ok(await daemon.runs.health(), `after ${request.name}, ${phases[phase]}, ${departures[way]}`)
    }
  }
  const quiet = () => until(async () => (await daemon.runs.health()).runs === 0)
  for (const phase of [3, 4]) await leave(phase, 0)
  await quiet()
  const before = openFiles(daemon.child.pid!)
  for (const phase of phases.keys()) for (const way of departures.keys()) await leave(phase, way)
  await quiet()
  let files = 0
  await until(
    () => {
      files = openFiles(daemon.child.pid!)
      return files <= before
    },
    180_000,
    () => `${files} open files, ${before} before`,
  )
  assert.doesNotMatch(daemon.stderr(), /door\.failed|uncaught|Error:/i)
})
