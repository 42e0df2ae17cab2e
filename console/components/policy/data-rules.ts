/**
 * The fields of a guardrail that exclude models by their use of prompts. A field is a permission: `false` blocks such models.
 * `label` is the text of the control, and `description` the sentence for a guardrail; both describe `false`. A new field of this
 * kind needs only a line in this object.
 */
export const dataRules = {
  enable_paid_model_training: {
    label: 'Block paid models that train on prompts',
    description: 'No paid models that train on prompts.',
  },
  enable_free_model_training: {
    label: 'Block free models that train on prompts',
    description: 'No free models that train on prompts.',
  },
  enable_free_model_publication: {
    label: 'Block free models that publish prompts',
    description: 'No free models that publish prompts.',
  },
} as const

export type DataRule = keyof typeof dataRules

export const dataRuleNames = Object.keys(dataRules) as DataRule[]
