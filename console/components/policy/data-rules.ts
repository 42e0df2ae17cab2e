/**
 * The rules of a guardrail that exclude models by their use of prompts. `label` is the text of the control, `description` the
 * sentence for a guardrail with the rule. A new rule of this kind needs only a line here.
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
