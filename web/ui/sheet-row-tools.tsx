import { Menu } from '@base-ui/react/menu'
import { Button, IconButton } from './button.tsx'

/** What the user can do with a row of an ordered sheet. */
export interface OrderedRowActions {
  open(key: string): void
  insertBelow(key: string): void
  move(key: string, by: number): void
  remove(key: string): void
}

/** Shows a button that opens all fields of a row, and a menu that inserts, moves, and removes rows. */
export function SheetRowTools(props: { rowKey: string; name: string; item: string; actions: OrderedRowActions }) {
  const { rowKey, name, item, actions } = props
  return (
    <span className="row">
      <Button small look="quiet" aria-label={`Edit ${name}`} onClick={() => actions.open(rowKey)}>
        Edit
      </Button>
      <Menu.Root>
        <Menu.Trigger render={<IconButton icon="dots" label={`More for ${name}`} look="quiet" small />} />
        <Menu.Portal>
          <Menu.Positioner className="over" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              <Menu.Item onClick={() => actions.insertBelow(rowKey)}>Insert {item} below</Menu.Item>
              <Menu.Item onClick={() => actions.move(rowKey, -1)}>Move up</Menu.Item>
              <Menu.Item onClick={() => actions.move(rowKey, 1)}>Move down</Menu.Item>
              <Menu.Item onClick={() => actions.remove(rowKey)}>Remove</Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </span>
  )
}
