import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listProviderNeeds } from './provider-needs.ts'

const provider = (slug: string, credentialVariables: string[], baseUrl: string | null = null) => ({
  slug,
  name: slug,
  credentialVariables,
  baseUrl,
})
const serving = (...slugs: string[]) => ({ endpoints: slugs.map((slug) => ({ provider: slug })) })

test('a credential needs one of its variables, an address all; best provider first', () => {
  const variable = (name: string) => `\${${name}}`
  const [name, path] = [variable('AZURE_NAME'), variable('AZURE_PATH')]
  const providers = [
    provider('azure', ['AZURE_KEY'], `https://${name}.example/${path}/${name}`),
    provider('google', ['GOOGLE_API_KEY', 'GEMINI_API_KEY']),
    provider('local', []),
    provider('openai', ['OPENAI_API_KEY', 'OPENAI_KEY']),
  ]
  const models = [serving('openai', 'google', 'openai'), serving('openai')]
  const needs = listProviderNeeds({ providers, models }, (name) => ['GEMINI_API_KEY', 'AZURE_PATH'].includes(name))
  assert.deepEqual(
    needs.map(({ slug, missing, models: count }) => [slug, missing, count]),
    [
      ['openai', ['OPENAI_API_KEY'], 2],
      ['google', [], 1],
      ['azure', ['AZURE_KEY', 'AZURE_NAME'], 0],
      ['local', [], 0],
    ],
  )
})
