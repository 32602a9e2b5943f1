import { useState } from 'react'
import type { BidRequest } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { VendorChoice } from './vendor-choice.tsx'

/** Lets the user invite more vendors to a request that has already been sent. */
export function InviteMore({ request, onClose }: { request: BidRequest; onClose(): void }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const invite = plumbline.useMutation('post', '/api/ext/bids/requests/{bidRequestId}/invitations', {
    onSuccess: () => {
      showToast(`${formatCount(chosen.size, 'vendor')} invited`)
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Invite more vendors"
      note={request.title ?? request.number}
      tail={
        <>
          <span className="push" />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={chosen.size === 0}
            busy={invite.isPending}
            onClick={() =>
              invite.mutate({ params: { path: { bidRequestId: request.id } }, body: { vendorIds: [...chosen] } })
            }
          >
            {chosen.size === 0 ? 'Invite' : `Invite ${formatCount(chosen.size, 'vendor')}`}
          </Button>
        </>
      }
    >
      <ChangeError error={invite.error} />
      <VendorChoice
        scope={request.scope}
        communityId={request.communityId}
        without={request.vendorIds}
        chosen={chosen}
        onChange={setChosen}
      />
    </Dialog>
  )
}
