/** Whether arrays and objects are nested more than `levels` deep. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeper(item, levels - 1)) return true
  } else for (const name in value) if (isDeeper(value[name as never], levels - 1)) return true
  return false
}
