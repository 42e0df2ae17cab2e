/** A preset, named by `preset` or in `model`, may bring everything that a body leaves out. */
const namesPreset = {
  anyOf: [
    { required: ['preset'] },
    { required: ['model'], properties: { model: { type: 'string', pattern: '@preset/' } } },
  ],
}

const oneOf = (names: string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) })

/**
 * JSON Schema, for the description alone, of what a body without a preset must have: a model, and one field of each of
 * the `groups`. It is checked once the preset is in the body.
 */
export const neededFields = (...groups: string[][]) => ({
  if: namesPreset,
  else: { allOf: [['model', 'models'], ...groups].map(oneOf) },
})
