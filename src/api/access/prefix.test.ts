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
  }
  assert.deepEqual(Object.fromEntries(Object.keys(paths).map((path) => [path, toApiUrl(path)])), paths)
})
