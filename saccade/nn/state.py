"""saved state"""
