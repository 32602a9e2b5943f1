import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import type { Session } from '../../../client/contract.gen.ts'
import { client, plumbline, root } from '../../api/plumbline.ts'
import { registerSignInDialog, type SignInReason } from '../../api/repeat-after-sign-in.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { describeDevice } from './device-name.ts'
import { explainPasskeyError, hasPasskeys, signWithPasskey } from './passkey.ts'
import { storeReturnUrl } from './sign-in-url.ts'

/**
 * Asks the user to sign in again if the session has ended or a request requires a recent sign-in. The page stays open,
 * and its requests then continue. This component is part of the frame of every page.
 */
export function SignInAgain() {
  const [asked, setAsked] = useState<{ reason: SignInReason; end(isSignedIn: boolean): void } | null>(null)
  useEffect(
    () =>
      registerSignInDialog(
        (reason) =>
          new Promise<boolean>((resolve) => {
            setAsked({
              reason,
              end(isSignedIn) {
                setAsked(null)
                resolve(isSignedIn)
              },
            })
          }),
      ),
    [],
  )
  return asked === null ? null : <SignInDialog reason={asked.reason} onEnd={asked.end} />
}

function SignInDialog({ reason, onEnd }: { reason: SignInReason; onEnd(isSignedIn: boolean): void }) {
  const { user, organization } = useSession()
  const { pathname, search } = useLocation()
  const [refusal, setRefusal] = useState<string | null>(null)
  const challenge = plumbline.useMutation('post', '/api/admin/sign-in/passkey/challenge', {
    meta: { changesNothing: true },
  })
  const signIn = plumbline.useMutation('post', '/api/admin/sign-in/passkey', { meta: { changesNothing: true } })
  const link = plumbline.useMutation('post', '/api/admin/sign-in/link', {
    meta: { changesNothing: true },
    onSuccess: () => storeReturnUrl(new URLSearchParams({ to: pathname + search })),
  })
  const changeOrganization = plumbline.useMutation('post', '/api/admin/session/organization', {
    meta: { changesNothing: true },
  })
  const signInByPasskey = async () => {
    setRefusal(null)
    signIn.reset()
    try {
      const signed = await signWithPasskey(await challenge.mutateAsync({}))
      const session = await signIn.mutateAsync({ body: { ...signed, device: describeDevice(navigator.userAgent) } })
      await end(session)
    } catch (error) {
      // The mutation contains the errors from the service.
      setRefusal(explainPasskeyError(error))
    }
  }
  const end = async (session: Session) => {
    // The emails are compared, because a person has a different user ID in each organization.
    if (session.user.email.toLowerCase() !== user.email.toLowerCase()) {
      // Another person has signed in, who must not see anything on this page.
      onEnd(false)
      return location.assign(`${root}/`)
    }
    // A new session starts in the user's first organization, so switch to the organization of this page.
    if (session.organization.id !== organization.id)
      await changeOrganization.mutateAsync({ body: { organizationId: organization.id } })
    onEnd(true)
  }
  const continueAfterLink = async () => {
    setRefusal(null)
    // Uses a client that does not ask for a sign-in, so that this request cannot open another dialog.
    const { data } = await client
      .GET('/api/admin/session', { fetch: (request) => fetch(request) })
      .catch(() => ({ data: undefined }))
    if (data === undefined) setRefusal('You are not signed in yet. Open the sign-in link in this browser first.')
    else await end(data)
  }
  const delivery = link.data?.delivery
  const hasEnded = reason === 'ended'
  return (
    <Dialog
      open
      onClose={() => onEnd(false)}
      size="narrow"
      title={hasEnded ? 'Your session has ended' : 'Sign in again?'}
      tail={
        <>
          <span className="push" />
          <Button onClick={() => onEnd(false)}>{hasEnded ? 'Go to sign-in page' : 'Cancel'}</Button>
          {delivery === undefined ? (
            <Button
              icon="mail"
              look={hasPasskeys ? 'plain' : 'primary'}
              busy={link.isPending}
              onClick={() => link.mutate({ body: { email: user.email } })}
            >
              Send sign-in link
            </Button>
          ) : (
            <Button look="primary" onClick={() => void continueAfterLink()}>
              Continue
            </Button>
          )}
          {hasPasskeys && delivery === undefined && (
            <Button
              icon="passkey"
              look="primary"
              busy={signIn.isPending || signIn.isSuccess}
              onClick={() => void signInByPasskey()}
            >
              Use passkey
            </Button>
          )}
        </>
      }
    >
      <p>
        {hasEnded
          ? `Sign in again as ${user.name}. You can then continue on this page. Your entries are kept.`
          : 'This change requires a sign-in within the last 10 minutes. After you sign in, you can continue here.'}
      </p>
      {delivery === 'mail' && (
        <p role="status">
          A sign-in link is on its way to {user.email}. Open it in this browser, then return to this page and continue.
        </p>
      )}
      {delivery === 'none' && (
        <p role="status">
          This server sends no email. Ask its operator for a sign-in link (<code>users sign-in-link</code>). Open it in
          this browser, then return to this page and continue.
        </p>
      )}
      {refusal !== null && (
        <p className="banner" data-tone="warn" role="alert">
          <Icon name="info" />
          {refusal}
        </p>
      )}
      <ChangeError error={challenge.error ?? signIn.error ?? link.error ?? changeOrganization.error} />
    </Dialog>
  )
}
