import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toApiUrl } from './prefix.ts'

test('a model path with a plain slash becomes one with an encoded slash', () => {
  const paths = {
    '/v1/models/bug/chat': '/api/v1/models/bug%2Fchat',
    '/api/v1/models/bug/chat?a=b/c': '/api/v1/models/bug%2Fchat?a=b/c',
    '/api/v1/models/bug/chat/': '/api/v1/models/bug%2Fchat',
    '/api/v1/models/bug%2Fchat': '/api/v1/models/bug%2Fchat',
    '/api/v1/models/bug/chat/endpoints': '/api/v1/models/bug/chat/endpoints',
    '/api/v1/models': '/api/v1/models',
    '/api/v1/models?q=a/b': '/api/v1/models?q=a/b',
    '/v1/v1/models/bug/chat': '/api/v1/models/bug%2Fchat',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(paths).map((path) => [path, toApiUrl(path)])), paths)
})

test('a prefix or slash twice, and a target with an origin, reach the same path', () => {
  for (const path of [
    '/v1/messages',
    '/v1/v1/messages',
    '/api/v1/v1/messages',
    '/v1/api/v1/messages',
    '//v1/messages',
    '/v1//messages',
    '/api/v1//messages',
    '//messages',
    'http://gateway:8080/v1/messages',
    'HTTPS://gateway/messages',
  ])
    assert.equal(toApiUrl(path), '/api/v1/messages', path)
  for (const path of ['/', '//', '/v1', '/v12/messages', '/other/v1/messages', '//other', 'http://gateway'])
    assert.equal(toApiUrl(path), path)
})
