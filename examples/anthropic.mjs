// Streams a message with Anthropic's client, which works with every model: npm install @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk'

// This client adds /v1 itself.
const baseURL = process.env.BASE_URL.replace(/\/v1$/, '')
const client = new Anthropic({ baseURL, authToken: process.env.API_KEY, apiKey: null })
const stream = client.messages.stream({
  model: process.env.MODEL ?? 'signalbox/demo',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hello' }],
})
stream.on('text', (text) => process.stdout.write(text))
const { usage } = await stream.finalMessage()
console.log(`\n${usage.input_tokens + usage.output_tokens} tokens`)
