/** The attributes of an input for the name of a preset. */
export const presetNameAttributes = {
  placeholder: 'Name, such as invoices',
  pattern: '[a-z0-9][a-z0-9_\\-]{0,63}',
  title: '1 to 64 of a-z, 0-9, - and _, starting with a letter or digit',
  required: true,
}
