import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import type { Lead, LeadStatus } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { showToast } from '../../ui/toast.tsx'
import { ConvertLead } from './convert-lead.tsx'

const WORKING_STATUSES: readonly LeadStatus[] = ['contacted', 'qualified', 'appointment', 'proposal', 'lost']

/** Returns the name of a lead or, without a name, its email address or phone number. */
export function formatLeadName({ firstName, lastName, email, phone }: Lead): string {
  const name = [firstName, lastName].filter((part) => part !== null).join(' ')
  return name === '' ? (email ?? phone ?? 'Somebody') : name
}

/** Lets the user change the status of a lead or convert it to a sale. */
export function LeadMoves({ lead, look = 'plain' }: { lead: Lead; look?: 'plain' | 'quiet' }) {
  const can = useCan()
  const [open, setOpen] = useState<'lost' | 'buys' | null>(null)
  const name = formatLeadName(lead)
  const move = plumbline.useMutation('post', '/api/ext/leads/{leadId}/status', {
    onSuccess: ({ status }) => {
      showToast(`${name}: ${STATUS_LOOKS.lead[status].word.toLowerCase()}`)
      setOpen(null)
    },
  })
  const to = (status: LeadStatus, reason?: string) =>
    move.mutate({
      params: { path: { leadId: lead.id } },
      body: { status, ...(reason !== undefined && { reason }) },
    })
  if (!can('leads:write') || lead.status === 'converted') return null
  return (
    <>
      {move.error !== null && open === null && <ChangeError error={move.error} />}
      <Menu.Root>
        <Menu.Trigger render={<Button small={look === 'quiet'} look={look} icon="swap" busy={move.isPending} />}>
          Move<span className="sr"> {name}</span>
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="over" sideOffset={4} align="start">
            <Menu.Popup className="menu">
              {WORKING_STATUSES.filter((status) => status !== lead.status).map((status) => (
                <Menu.Item key={status} onClick={() => (status === 'lost' ? setOpen('lost') : to(status))}>
                  {STATUS_LOOKS.lead[status].word}
                </Menu.Item>
              ))}
              {can('sales:write') && lead.status !== 'lost' && (
                <Menu.Item onClick={() => setOpen('buys')}>Create sale…</Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {open === 'buys' && <ConvertLead lead={lead} name={name} onClose={() => setOpen(null)} />}
      {open === 'lost' && (
        <MoveDialog
          title={`Mark ${name} as lost?`}
          effect="The lead is removed from the board. You can reopen the lead by changing its status."
          word="Mark as lost"
          reason="needed"
          trial={null}
          error={move.error}
          isPending={move.isPending}
          onClose={() => setOpen(null)}
          onConfirm={(reason) => to('lost', reason)}
        />
      )}
    </>
  )
}
