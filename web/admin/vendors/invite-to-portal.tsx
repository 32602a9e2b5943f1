import { useState } from 'react'
import type { Vendor } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { CopyLink } from './copy-link.tsx'

/**
 * Lets the user invite a vendor to its whole portal. The service emails the link. Users with the permission can also
 * copy it.
 */
export function InviteToPortal({ vendor, onClose }: { vendor: Vendor; onClose(): void }) {
  const can = useCan()
  const { sendsMail } = useSession()
  const [isCopying, setIsCopying] = useState(false)
  const { id: vendorId, companyName } = vendor
  const invite = plumbline.useMutation('post', '/api/ext/vendors/{vendorId}/invite')
  if (isCopying) return <CopyLink vendor={companyName} of={{ vendorId }} onClose={onClose} />
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Invite ${companyName} to the portal`}
      tail={
        <>
          <span className="push" />
          <Button onClick={onClose}>{invite.isSuccess ? 'Done' : 'Cancel'}</Button>
          {!invite.isSuccess && (
            <Button
              look="primary"
              busy={invite.isPending}
              onClick={() => invite.mutate({ params: { path: { vendorId } } })}
            >
              Invite vendor
            </Button>
          )}
          {invite.isSuccess && can('portal_links:read') && (
            <Button look="primary" icon="copy" onClick={() => setIsCopying(true)}>
              Copy link…
            </Button>
          )}
        </>
      }
    >
      <ChangeError error={invite.error} />
      {invite.isSuccess ? (
        <p>
          {sendsMail && vendor.email !== null
            ? `${companyName} has a new portal link, which is emailed to ${vendor.email}.`
            : `${companyName} has a new portal link, which is not emailed. ${
                can('portal_links:read')
                  ? 'Copy the link and send it yourself.'
                  : 'Ask an owner or admin to copy the link.'
              }`}
        </p>
      ) : (
        <p className="muted">
          The vendor gets a link to its orders, dates, documents and payments, without an account.{' '}
          {vendor.portalStatus !== 'not_invited' && 'The old link stops working.'}
        </p>
      )}
    </Dialog>
  )
}
