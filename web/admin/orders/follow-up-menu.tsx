import { Menu } from '@base-ui/react/menu'
import { useNavigate } from 'react-router'
import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { FOLLOW_UP_KINDS, FOLLOW_UP_WORDS, isFollowUpPossible } from './follow-up-kinds.ts'

/** Shows a menu of the orders that can be created from an order. */
export function FollowUpMenu({ order }: { order: PurchaseOrder }) {
  const navigate = useNavigate()
  return (
    <Menu.Root>
      <Menu.Trigger render={<Button icon="plus" />}>Follow-up</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="over" sideOffset={4} align="end">
          <Menu.Popup className="menu">
            {FOLLOW_UP_KINDS.filter((kind) => isFollowUpPossible(kind, order)).map((kind) => (
              <Menu.Item key={kind} onClick={() => void navigate(`/orders/${order.id}/new/${kind}`)}>
                {FOLLOW_UP_WORDS[kind].name}…
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
