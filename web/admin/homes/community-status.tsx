import { useId, useState } from 'react'
import type { Community, CommunityStatus } from '../../../client/contract.gen.ts'
import { COMMUNITY_MOVES } from '../../../server/domain/land/communities/community-moves.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useChangePreview } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { showToast } from '../../ui/toast.tsx'

const STATUS_EFFECTS: Record<CommunityStatus, string> = {
  planning: 'The community returns to planning.',
  active: 'The community is open. Homes can be added.',
  sold_out: 'No more homes can be added. The community can become active again, for example if a sale falls through.',
  closed: 'All homes must be closed, canceled, or archived. This cannot be undone.',
}

/** Lets the user change the status of a community. First shows the reasons that prevent the change. */
export function CommunityStatusButton({ community }: { community: Community }) {
  const can = useCan()
  const [isOpen, setIsOpen] = useState(false)
  const [first] = COMMUNITY_MOVES[community.status]
  if (!can('communities:write') || community.archivedAt !== null || first === undefined) return null
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Change status</Button>
      {isOpen && <StatusDialog community={community} first={first} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function StatusDialog(props: { community: Community; first: CommunityStatus; onClose(): void }) {
  // The dialog keeps its choices until it is closed, although the page loads the community again after the change.
  const [{ community, first }] = useState(props)
  const { onClose } = props
  const id = useId()
  const [to, setTo] = useState<CommunityStatus>(first)
  const trial = useChangePreview('changeCommunityStatus', { communityId: community.id, status: to })
  const change = plumbline.useMutation('post', '/api/ext/communities/{communityId}/status', {
    onSuccess: ({ name, status }) => {
      showToast(`${name}: ${STATUS_LOOKS.community[status].word.toLowerCase()}`)
      onClose()
    },
  })
  const choices = COMMUNITY_MOVES[community.status]
  return (
    <MoveDialog
      title={`Change status of ${community.name}`}
      effect={STATUS_EFFECTS[to]}
      word={`Set to ${STATUS_LOOKS.community[to].word.toLowerCase()}`}
      isDanger={to === 'closed'}
      reason="optional"
      error={change.error}
      isPending={change.isPending}
      {...{ trial, onClose }}
      onConfirm={(reason) =>
        change.mutate({
          params: { path: { communityId: community.id } },
          body: { status: to, ...(reason !== undefined && { reason }) },
        })
      }
      fields={
        choices.length > 1 && (
          <div className="field">
            <label htmlFor={`${id}-status`}>New status</label>
            <select
              className="input"
              id={`${id}-status`}
              value={to}
              onChange={(event) => {
                change.reset()
                setTo(choices.find((one) => one === event.target.value) ?? to)
              }}
            >
              {choices.map((status) => (
                <option key={status} value={status}>
                  {STATUS_LOOKS.community[status].word}
                </option>
              ))}
            </select>
          </div>
        )
      }
    />
  )
}
