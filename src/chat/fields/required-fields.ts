/** A preset, named by `preset` or in `model`, can supply all fields that the body omits. */
const presetCondition = {
  anyOf: [
    { required: ['preset'] },
    { required: ['model'], properties: { model: { type: 'string', pattern: '@preset/' } } },
  ],
}

const requireOneOf = (names: string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) })

/**
 * The JSON Schema of the fields that a body without a preset requires: a model, and one field of each group. Only for the
 * API description; the check runs after the preset is applied.
 */
export const requiredFields = (...groups: string[][]) => ({
  if: presetCondition,
  else: { allOf: [['model', 'models'], ...groups].map(requireOneOf) },
})
