/** A made-up snapshot in the form of models.dev, as large as the real one: 50 providers with 100 models each. */
export function syntheticSnapshot(): string {
  const providers = Array.from({ length: 50 }, (_, number) => {
    const models = Array.from({ length: 100 }, (_, at) => modelOf(number, at)).map((model) => [model.id, model])
    const id = `provider-${number}`
    return [
      id,
      {
        id,
        name: `Provider ${number}`,
        env: [],
        npm: '@ai-sdk/openai-compatible',
        doc: '',
        models: Object.fromEntries(models),
      },
    ]
  })
  return JSON.stringify(Object.fromEntries(providers))
}

function modelOf(provider: number, at: number) {
  return {
    id: `maker-${(provider + at) % 40}/model-${at}-${provider % 20}`,
    name: `Model ${at} ${provider % 20}`,
    family: `family-${at % 30}`,
    release_date: `2025-${String((at % 12) + 1).padStart(2, '0')}-10`,
    last_updated: '2025-12-01',
    attachment: at % 2 === 0,
    reasoning: at % 3 === 0,
    temperature: true,
    tool_call: at % 4 !== 0,
    open_weights: false,
    cost: { input: (at % 17) / 4, output: (at % 17) * 1.5 },
    limit: { context: 32_000 * ((at % 8) + 1), output: 8192 },
    modalities: { input: at % 2 ? ['text'] : ['text', 'image'], output: ['text'] },
  }
}
