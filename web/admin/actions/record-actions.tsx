import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import type { DeclaredAction } from './actions.gen.ts'
import { listPathParameters } from './call-action.ts'
import { canPerformAction } from './can-perform-action.ts'
import { findComposePath } from './message-subjects.ts'

/**
 * Shows a menu of all actions for a record. These are the actions that the user may perform and whose path or input
 * contains the record's ID. `except` lists the actions for which the page has its own buttons.
 */
export function RecordActions(props: { field: string; id: string; except?: readonly string[] }) {
  const { field, id, except = [] } = props
  const can = useCan()
  const navigate = useNavigate()
  const [found, setFound] = useState<readonly (readonly [string, DeclaredAction])[] | null>(null)
  const compose = findComposePath(field, id)
  // Loads the list of all actions when the menu is opened for the first time.
  const load = async () => {
    const { actions } = await import('./actions.gen.ts')
    const members = Object.entries(actions).filter(
      ([name, action]) => isAbout(action, field) && !except.includes(name) && canPerformAction(action, can),
    )
    setFound(members.sort(([, a], [, b]) => rank(a) - rank(b) || (a.label < b.label ? -1 : 1)))
  }
  return (
    <Menu.Root onOpenChange={(isOpen) => isOpen && found === null && void load()}>
      <Menu.Trigger render={<Button icon="dots">All actions</Button>} />
      <Menu.Portal>
        <Menu.Positioner className="over" sideOffset={4} align="end">
          <Menu.Popup className="menu options">
            {compose !== null && can('messages:write') && (
              <Menu.Item onClick={() => void navigate(compose)}>Send a message</Menu.Item>
            )}
            {found === null && <span className="muted">Loading</span>}
            {found?.length === 0 && <span className="muted">No further actions</span>}
            {found?.map(([name, { label }]) => (
              <Menu.Item
                key={name}
                onClick={() => void navigate(`/actions/${name}?${field}=${encodeURIComponent(id)}`)}
              >
                {label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

/** Sorts edit actions first and actions that only read last. */
function rank({ method, writes }: DeclaredAction): number {
  if (method === 'patch' || method === 'put') return 0
  return method !== undefined || writes === true ? 1 : 2
}

function isAbout({ method, path, writes, about = [] }: DeclaredAction, field: string): boolean {
  if (method === undefined || path === undefined) return about.includes(field) && writes !== undefined
  if (method === 'get') return false
  const places = listPathParameters(path)
  return places.at(-1) === field
}
