/**
 * What works that do not need each other come to, once all of them have ended. In a transaction, the statements that they
 * begin with leave in one packet, in the order of the works, for which it waits once. If some fail, the first of them is
 * thrown, and none goes on behind the caller's back.
 */
export async function together<Results extends readonly unknown[]>(
  ...works: { readonly [Work in keyof Results]: Promise<Results[Work]> }
): Promise<Results> {
  const ends = await Promise.allSettled(works)
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  }) as unknown as Results
}
