"""A scripted OpenAI-compatible model and the order desk's back office: the demo model, and the far end of the tests."""
