import type { Body } from '../../../protocol/request-body.ts'

/** A tool of Anthropic that the client runs. Claude knows the schema; other models get the schema in this file. */
type ClientTool = {
  /** The name if the request has none. */
  name: string
  describe: (tool: Body) => string
  /** @param version the date in the tool type, such as 20250124. */
  parameters: (version: number) => object
}

const text = (description: string) => ({ type: 'string', description })
const integer = (description: string) => ({ type: 'integer', description })
const integers = (description: string) => ({ type: 'array', items: { type: 'integer' }, description })
const oneOf = (values: string[], description: string) => ({ type: 'string', enum: values, description })
const object = (properties: object, required: string[]) => ({ type: 'object', properties, required })

const editParameters = {
  file_text: text('For `create`: the content of the file.'),
  old_str: text('For `str_replace`: the text to replace. It must occur exactly once, with the same white space.'),
  insert_line: integer('For `insert`: the line after which the text is inserted; 0 for the start of the file.'),
  view_range: integers('For `view` of a file: the first and the last line, from 1; -1 for the end of the file.'),
}
const insertedText = text('For `insert`: the text to insert.')

/** From this version on, the text to insert has a separate parameter, and edits cannot be undone. */
const firstVersionWithoutUndo = 20250429
/** From this version on, the pointer has separate actions for its buttons, and keys can be held. */
const firstVersionWithHeldKeys = 20250124
const firstVersionWithZoom = 20251124

function editorParameters(version: number): object {
  const canUndo = version < firstVersionWithoutUndo
  const commands = ['view', 'create', 'str_replace', 'insert', ...(canUndo ? ['undo_edit'] : [])]
  return object(
    {
      command: oneOf(commands, 'The command to run.'),
      path: text('The absolute path of a file or folder.'),
      ...editParameters,
      new_str: text(`For \`str_replace\`: the new text.${canUndo ? ' For `insert`: the text to insert.' : ''}`),
      ...(!canUndo && { insert_text: insertedText }),
    },
    ['command', 'path'],
  )
}

const firstActions = [
  'key',
  'type',
  'mouse_move',
  'left_click',
  'left_click_drag',
  'right_click',
  'middle_click',
  'double_click',
  'screenshot',
  'cursor_position',
]
const laterActions = ['hold_key', 'left_mouse_down', 'left_mouse_up', 'triple_click', 'scroll', 'wait']

function computerParameters(version: number): object {
  const hasLaterActions = version >= firstVersionWithHeldKeys
  const hasZoom = version >= firstVersionWithZoom
  const actions = [...firstActions, ...(hasLaterActions ? laterActions : []), ...(hasZoom ? ['zoom'] : [])]
  return object(
    {
      action: oneOf(actions, 'The action.'),
      coordinate: integers('The position as [x, y], in pixels from the left and the top.'),
      text: text('For `type`: the text. For `key` and `hold_key`: keys in the syntax of xdotool, such as `ctrl+s`.'),
      ...(hasLaterActions && {
        start_coordinate: integers('For `left_click_drag`: where the drag starts, as [x, y].'),
        scroll_direction: oneOf(['up', 'down', 'left', 'right'], 'For `scroll`.'),
        scroll_amount: integer('For `scroll`: the number of steps of the wheel.'),
        duration: { type: 'number', description: 'For `hold_key` and `wait`: seconds.' },
      }),
      ...(hasZoom && { region: integers('For `zoom`: the corners as [x1, y1, x2, y2].') }),
    },
    ['action'],
  )
}

const clientTools: Readonly<Record<string, ClientTool>> = {
  bash: {
    name: 'bash',
    describe: () => 'Run a command in a persistent bash session.',
    parameters: () =>
      object(
        {
          command: text('The command. Required unless the session is restarted.'),
          restart: { type: 'boolean', description: 'Whether to restart the session.' },
        },
        [],
      ),
  },
  text_editor: {
    name: 'str_replace_based_edit_tool',
    describe: ({ max_characters: limit }) =>
      `View, create and edit text files.${typeof limit === 'number' ? ` At most ${limit} characters are shown.` : ''}`,
    parameters: editorParameters,
  },
  memory: {
    name: 'memory',
    describe: () =>
      'Read and write files in the folder /memories, which persist between conversations. View the folder first.',
    parameters: () =>
      object(
        {
          command: oneOf(['view', 'create', 'str_replace', 'insert', 'delete', 'rename'], 'The command to run.'),
          path: text('The path below /memories. Required except for `rename`.'),
          ...editParameters,
          new_str: text('For `str_replace`: the new text.'),
          insert_text: insertedText,
          old_path: text('For `rename`: the path before.'),
          new_path: text('For `rename`: the path after.'),
        },
        ['command'],
      ),
  },
  computer: {
    name: 'computer',
    describe: ({ display_width_px: width, display_height_px: height }) => {
      const size = typeof width === 'number' && typeof height === 'number' ? ` of ${width} × ${height} pixels` : ''
      return `Use the mouse, the keyboard and screenshots of a screen${size}.`
    },
    parameters: computerParameters,
  },
}

/** A tool type with its version, which is a date. */
const versionedType = /^(bash|text_editor|memory|computer)_(\d{8})$/

/** Converts a tool that the client runs to a function with the documented schema. Undefined for other tools. */
export function toClientFunction(tool: Body): Body | undefined {
  const [, kind, version] = versionedType.exec(String(tool.type)) ?? []
  if (kind === undefined) return undefined
  const { name, describe, parameters } = clientTools[kind]!
  return {
    name: tool.name ?? name,
    description: describe(tool),
    parameters: parameters(Number(version)),
  }
}
