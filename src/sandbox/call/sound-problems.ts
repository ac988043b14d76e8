/** interface.md 2.1: what cannot be heard of a background sound on the line of a call. */
export function soundProblems(
  backgroundSound: string | undefined,
  { playsCustomSounds }: { readonly playsCustomSounds: boolean },
): string[] {
  if (playsCustomSounds || backgroundSound?.startsWith('https://') !== true) return []
  return [
    'the custom backgroundSound cannot be heard: <phone_vendor_1> does not support custom sounds (interface.md 2.1); write enable or disable, or give the number phoneVendor <phone_vendor_2> (sandbox start --numbers)',
  ]
}
