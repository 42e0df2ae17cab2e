/** Formats `allowed_models` as `allowed models`. */
export const fieldLabel = (field: string) => field.replaceAll('_', ' ').replace(' usd', ', USD')

/** The rule of a guardrail that decided something, in a few words. */
export const ruleLabel = (rule: string) =>
  fieldLabel(
    rule
      .replace('content_filter_builtins.', 'text with ')
      .replace(/^content_filters.*/, 'text that matches a pattern')
      .replace(/^enforce_zdr.*/, 'zero data retention')
      .replace(/^limit$/, 'key limit spent')
      .replace(/^limit_usd$/, 'spending limit')
      .replace(/^group_limits$/, 'limit of a session or tag')
      .replace(/^budget$/, 'budget spent')
      .replace(/^max_cost_usd$/, 'turn budget spent')
      .replace(/^session_max_cost_usd$/, 'session budget spent'),
  )
