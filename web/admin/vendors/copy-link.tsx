import { useState } from 'react'
import type { PortalLink } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/clipboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/**
 * Explains what a portal link is, and then copies a vendor's link or the link of one invitation. Requests the link only
 * when the user presses the button, because the service records who copied it.
 */
export function CopyLink(props: {
  vendor: string
  of: { vendorId: string } | { invitationId: string }
  onClose(): void
}) {
  const { vendor, of, onClose } = props
  const { wholeDay, dateOf } = useFormats()
  const [link, setLink] = useState<PortalLink | null>(null)
  const shown = { gcTime: 0, onSuccess: setLink }
  const ofVendor = plumbline.useMutation('post', '/api/ext/vendors/{vendorId}/portal-link', shown)
  const ofInvitation = plumbline.useMutation('post', '/api/ext/invitations/{invitationId}/portal-link', shown)
  const request = () =>
    'vendorId' in of ? ofVendor.mutate({ params: { path: of } }) : ofInvitation.mutate({ params: { path: of } })
  const url = link?.portalUrl ?? null
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Portal link for ${vendor}`}
      tail={
        <>
          <span className="push" />
          <Button onClick={onClose}>{link === null ? 'Cancel' : 'Done'}</Button>
          {link === null && (
            <Button look="primary" busy={ofVendor.isPending || ofInvitation.isPending} onClick={request}>
              Show link
            </Button>
          )}
        </>
      }
    >
      <ChangeError error={ofVendor.error ?? ofInvitation.error} />
      {url === null ? (
        <p className="muted">
          Anyone who has the link can act for {vendor}. The history records that you copied it, and everything done
          through it is recorded with your name.
        </p>
      ) : (
        <div className="secret">
          <h3>This link is shown only once</h3>
          <div className="value">
            <code>{url}</code>
            <Button small look="primary" icon="copy" onClick={() => void copyText(url, 'The link')}>
              Copy link
            </Button>
          </div>
          <p className="small muted">
            Pass it to {vendor} only. It works until {wholeDay(dateOf(link?.expiresAt ?? ''))}.
          </p>
        </div>
      )}
    </Dialog>
  )
}
