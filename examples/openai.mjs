// Streams a chat completion with OpenAI's client: npm install openai
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: process.env.API_KEY })
const stream = await client.chat.completions.create({
  model: process.env.MODEL ?? 'signalbox/demo',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
  stream_options: { include_usage: true },
})
for await (const { choices, usage } of stream) {
  process.stdout.write(choices[0]?.delta.content ?? '')
  if (usage) console.log(`\n${usage.total_tokens} tokens`)
}
