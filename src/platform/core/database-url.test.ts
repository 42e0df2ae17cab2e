import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDatabaseUrl } from './database-url.ts'

test('a URL with one host is left as it is', () => {
  const url = 'postgres://user:p%40ss@db.example.com:5433/signalbox?sslmode=require'
  assert.deepEqual(parseDatabaseUrl(url), { urls: [url], requiresWritable: false })
})

test('each of several hosts becomes a URL with the same user, database and parameters', () => {
  const url = 'postgresql://u:p@one:5433,two,[::1]:5434/db?sslmode=require&target_session_attrs=read-write'
  assert.deepEqual(parseDatabaseUrl(url), {
    urls: [
      'postgresql://u:p@one:5433/db?sslmode=require',
      'postgresql://u:p@two/db?sslmode=require',
      'postgresql://u:p@[::1]:5434/db?sslmode=require',
    ],
    requiresWritable: true,
  })
})

for (const [url, reason] of [
  ['postgres://one,two/db?target_session_attrs=prefer-standby', /target_session_attrs=prefer-standby: the service/],
  ['postgres://one,two/db?target_session_attrs=read-only', /read-write, primary or any/],
  ['postgres://one/db?sslmode=verify', /sslmode=verify: use disable, .*verify-full/],
  ['postgres:///db?host=one,two', /must name several servers as postgres:/],
  ['postgres://one,,two/db', /empty host/],
  ['postgres://user:p@ss:w/o?r#d@one/db', /in a password "\/", "#", "\?" and "%" are written %2F/],
] as const)
  test(`${url} is refused with a reason`, () => assert.throws(() => parseDatabaseUrl(url), reason))
