import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import pino from 'pino'
import { createUnknownRouteLog } from './unknown-routes.ts'

function log() {
  const lines: { path: string; method: string; agent?: string }[] = []
  const clock = { at: 600_000 }
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const logRoute = createUnknownRouteLog(pino({ base: null }, sink), () => clock.at)
  const ask = (url: string, agent = 'editor/1.0', method = 'POST') =>
    logRoute({ id: 'r', method, url, headers: { 'user-agent': agent } } as unknown as FastifyRequest)
  return { lines, clock, ask }
}

test('an unknown route is logged once a minute, with the agent of each caller', () => {
  const { lines, clock, ask } = log()
  for (let at = 0; at < 5; at++) ask('/v1/chat/completion?key=secret')
  ask('/v1/chat/completion', 'other/2.0')
  ask('/v1/chat/completion', 'other/2.0', 'GET')
  assert.deepEqual(
    lines.map(({ method, path, agent }) => [method, path, agent]),
    [
      ['POST', '/v1/chat/completion', 'editor/1.0'],
      ['POST', '/v1/chat/completion', 'other/2.0'],
      ['GET', '/v1/chat/completion', 'other/2.0'],
    ],
  )
  clock.at += 60_000
  ask('/v1/chat/completion')
  assert.equal(lines.length, 4)
})

test('random paths cause at most a hundred log lines a minute, without keys', () => {
  const { lines, ask } = log()
  for (let at = 0; at < 1000; at++) ask(`/${at}/sk-${'9'.repeat(60)}`, 'a'.repeat(1000))
  assert.equal(lines.length, 100)
  assert.doesNotMatch(JSON.stringify(lines), /9{10}|a{201}/)
})
