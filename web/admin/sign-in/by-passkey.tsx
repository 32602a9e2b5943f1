import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Refused } from '../../ui/states.tsx'
import { addressAfter } from './address.ts'
import { deviceName } from './device.ts'
import { hasPasskeys, signByPasskey, whyNot } from './passkey.ts'

/** Signs in with a passkey: the device asks for a fingerprint, a face or a PIN, and nothing is typed. */
export function ByPasskey() {
  const [params] = useSearchParams()
  const [refusal, setRefusal] = useState<string | null>(null)
  const challenge = plumbline.useMutation('post', '/api/admin/sign-in/passkey/challenge', {
    meta: { changesNothing: true },
  })
  const signIn = plumbline.useMutation('post', '/api/admin/sign-in/passkey', {
    meta: { changesNothing: true },
    onSuccess: () => location.replace(addressAfter(params)),
  })
  const begin = async () => {
    setRefusal(null)
    try {
      const signed = await signByPasskey(await challenge.mutateAsync({}))
      await signIn.mutateAsync({ body: { ...signed, device: deviceName(navigator.userAgent) } })
    } catch (error) {
      // Errors of the service are in the mutation.
      setRefusal(whyNot(error))
    }
  }
  if (!hasPasskeys) return null
  return (
    <>
      <Refused error={challenge.error ?? signIn.error} />
      {refusal !== null && (
        <p className="banner" data-tone="warn" role="alert">
          <Icon name="info" />
          {refusal}
        </p>
      )}
      <Button
        icon="passkey"
        className="wide"
        busy={signIn.isPending || signIn.isSuccess}
        onClick={() => {
          signIn.reset()
          void begin()
        }}
      >
        Sign in with passkey
      </Button>
    </>
  )
}
