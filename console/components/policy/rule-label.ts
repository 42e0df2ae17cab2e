/** Formats `allowed_models` as `allowed models`. The editor calls ignored items blocked. */
export const fieldLabel = (field: string) =>
  field.replace('ignored_', 'blocked_').replace('data_regions', 'regions').replaceAll('_', ' ').replace(' usd', ', USD')

/** The rule of a guardrail that decided something, in a few words. */
export const ruleLabel = (rule: string) =>
  fieldLabel(
    rule
      .replace('content_filter_builtins.', 'text with ')
      .replace(/^content_filters.*/, 'text that matches a pattern')
      .replace(/^enforce_zdr.*/, 'zero data retention')
      .replace(/^ignored_(model|provider)s$/, 'blocked $1')
      .replace(/^allowed_(model|provider)s$/, '$1 not allowed')
      .replace(/^allowed_data_regions$/, 'region not allowed')
      .replace(/^limit$/, 'key limit used up')
      .replace(/^limit_usd$/, 'spending limit')
      .replace(/^group_limits$/, 'limit of a session or tag')
      .replace(/^budget$/, 'budget used up')
      .replace(/^max_cost_usd$/, 'turn budget used up')
      .replace(/^session_max_cost_usd$/, 'session budget used up'),
  )
