import { runOrToast } from '../../components/form/use-action.ts'

type Props<Role extends string> = {
  /** The name of the member. */
  name: string
  role: Role
  roles: readonly Role[]
  onChange: (role: Role) => Promise<void>
}

/** A select for the role of a member. It shows the current role until the service confirms the change. */
export function RoleSelect<Role extends string>({ name, role, roles, onChange }: Props<Role>) {
  return (
    <select
      aria-label={`Role of ${name}`}
      value={role}
      onChange={(event) => {
        const field = event.currentTarget
        const selected = field.value as Role
        field.value = role
        void runOrToast(() => onChange(selected))
      }}
    >
      {roles.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  )
}
